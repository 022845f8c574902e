-- A room as it was last committed: version, bytes, number of chat lines, answered ids, newest chat lines. False if there is none.
local function read_room(room)
  local fields = redis.call('HMGET', P .. 'room:' .. room, 'v', 'd', 'n')
  if not fields[1] then
    return false
  end
  return {
    fields[1], fields[2], fields[3] or '0',
    redis.call('LRANGE', P .. 'ids:' .. room, 0, -1), redis.call('LRANGE', P .. 'lines:' .. room, -100, -1),
  }
end
