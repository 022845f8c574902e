-- Set a time in the presence of a room, unless a newer one is there.
local function raise(here, field, at_ms)
  if tonumber(at_ms) > tonumber(redis.call('HGET', here, field) or 0) then
    redis.call('HSET', here, field, at_ms)
  end
end
-- The stored presence of a value, and for each node in it that is dead, the time of its end (0 if that is not known).
local function read_presence(id)
  local fields, dead = redis.call('HGETALL', K .. 'here:' .. id), {}
  for at = 1, #fields, 2 do
    local node = string.match(fields[at], '^n:(.*)$')
    if node and redis.call('HEXISTS', P .. 'nodes', node) == 0 then
      dead[#dead + 1] = node
      dead[#dead + 1] = redis.call('HGET', P .. 'dead', node) or '0'
    end
  end
  return {fields, dead}
end
-- The same, after the reports of dead nodes were replaced by the departures of their players.
local function settled_presence(id)
  local here, presence = K .. 'here:' .. id, read_presence(id)
  local dead = presence[2]
  if #dead == 0 then
    return presence
  end
  for at = 1, #dead, 2 do
    local report = cjson.decode(redis.call('HGET', here, 'n:' .. dead[at]))
    raise(here, 'l', dead[at + 1])
    for player in pairs(report[3]) do
      raise(here, 'd:' .. player, dead[at + 1])
    end
    redis.call('HDEL', here, 'n:' .. dead[at])
  end
  return read_presence(id)
end
