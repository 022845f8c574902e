-- uses: notify, presence
-- Store one node's connections to a room, and push them to the other holders. KEYS[1]: the room.
-- ARGV: node, room, report ('' if nobody is left), time of the last departure, message, then players and their departures.
local key, node, room, report, last_left = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('EXISTS', key) == 0 or redis.call('HEXISTS', P .. 'nodes', node) == 0 then
  return 0
end
local here = P .. 'here:' .. room
if report == '' then
  redis.call('HDEL', here, 'n:' .. node)
else
  redis.call('HSET', here, 'n:' .. node, report)
end
if redis.call('HLEN', here) > 128 then
  -- Drop the departures of spectators: they hold no seat.
  local seated = ' ' .. (redis.call('HGET', key, 'p') or '') .. ' '
  for _, field in ipairs(redis.call('HKEYS', here)) do
    local player = string.match(field, '^d:(.*)$')
    if player and not string.find(seated, ' ' .. player .. ' ', 1, true) then
      redis.call('HDEL', here, field)
    end
  end
end
raise(here, 'l', last_left)
for at = 6, #ARGV, 2 do
  raise(here, 'd:' .. ARGV[at], ARGV[at + 1])
end
notify(key, node, redis.call('HGET', key, 'h'), ARGV[5])
return 1
