-- uses: room
-- Read everything of a room at once. ARGV: room. Returns the room, its index entry, its deadline and its games.
local room = ARGV[1]
local stored = read_row(room)
if not stored then
  return false
end
local entry = redis.call('HMGET', P .. 'room:' .. room, 'l', 't', 'p')
local wake = redis.call('ZSCORE', P .. 'wake', room) or '0'
return {stored, entry[1] or '', entry[2] or '', entry[3] or '', wake, redis.call('HGETALL', P .. 'games:' .. room)}
