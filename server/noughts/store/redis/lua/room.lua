-- A value as it was last committed: version, bytes, number of chat lines, command ids, newest chat lines. False if there is none.
local function read_row(id)
  local fields = redis.call('HMGET', ROW .. id, 'v', 'd', 'n')
  if not fields[1] then
    return false
  end
  return {
    fields[1], fields[2], fields[3] or '0',
    redis.call('LRANGE', K .. 'ids:' .. id, 0, -1), redis.call('LRANGE', K .. 'lines:' .. id, -100, -1),
  }
end
