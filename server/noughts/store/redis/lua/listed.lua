-- uses: presence
-- Read the newest rooms of a list, newest first, with their presence. KEYS[1]: the list. ARGV: the most rooms.
local rooms = {}
for _, room in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, ARGV[1] - 1)) do
  rooms[#rooms + 1] = {room, redis.call('HGET', P .. 'room:' .. room, 'd'), read_presence(room)}
end
return rooms
