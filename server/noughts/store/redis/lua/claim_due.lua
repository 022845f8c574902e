-- uses: clock
-- Claim values whose deadline has come, by moving it. ARGV: the most values, milliseconds until the next try.
-- Returns those that no living node holds, each with its deadline: a holder handles its values itself.
local now, claimed = now_ms(), {}
local due = redis.call('ZRANGEBYSCORE', K .. 'wake', '-inf', string.format('%.0f', now), 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for at = 1, #due, 2 do
  local id = due[at]
  redis.call('ZADD', K .. 'wake', string.format('%.0f', now + ARGV[2]), id)
  local held = false
  for node in string.gmatch(redis.call('HGET', ROW .. id, 'h') or '', '%S+') do
    held = held or redis.call('HEXISTS', P .. 'nodes', node) == 1
  end
  if not held then
    claimed[#claimed + 1] = id
    claimed[#claimed + 1] = due[at + 1]
  end
end
return claimed
