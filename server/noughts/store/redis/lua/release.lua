-- uses: notify
-- Hand back a value. KEYS[1]: the value. ARGV: node, id, the message that none of the node's connections is left.
local key, node, id = KEYS[1], ARGV[1], ARGV[2]
local holders = redis.call('HGET', key, 'h')
if not holders or not string.find(' ' .. holders .. ' ', ' ' .. node .. ' ', 1, true) then
  return 0
end
local left = {}
for holder in string.gmatch(holders, '%S+') do
  if holder ~= node then
    left[#left + 1] = holder
  end
end
redis.call('HSET', key, 'h', table.concat(left, ' '))
redis.call('HDEL', K .. 'here:' .. id, 'n:' .. node)
notify(key, node, table.concat(left, ' '), ARGV[3])
return 1
