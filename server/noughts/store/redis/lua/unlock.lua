-- Give back a lock, unless its lease is over and another task has it. KEYS[1]: the lock. ARGV: the token of the holder.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
