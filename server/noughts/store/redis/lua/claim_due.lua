-- uses: clock
-- Claim rooms whose deadline has come, by moving it. ARGV: the most rooms, milliseconds until the next try.
-- Returns those that no living node holds: a holder handles its rooms itself.
local now, claimed = now_ms(), {}
local due = redis.call('ZRANGEBYSCORE', P .. 'wake', '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[1])
for _, room in ipairs(due) do
  redis.call('ZADD', P .. 'wake', string.format('%.0f', now + ARGV[2]), room)
  local held = false
  for node in string.gmatch(redis.call('HGET', P .. 'room:' .. room, 'h') or '', '%S+') do
    held = held or redis.call('HEXISTS', P .. 'nodes', node) == 1
  end
  if not held then
    claimed[#claimed + 1] = room
  end
end
return claimed
