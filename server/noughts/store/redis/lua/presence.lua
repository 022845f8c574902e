-- The stored presence of a room, and for each node in it that is dead, the time of its last beat (0 if that is not known).
local function read_presence(room)
  local fields, dead = redis.call('HGETALL', P .. 'here:' .. room), {}
  for at = 1, #fields, 2 do
    local node = string.match(fields[at], '^n:(.*)$')
    if node and redis.call('HEXISTS', P .. 'nodes', node) == 0 then
      dead[#dead + 1] = node
      dead[#dead + 1] = redis.call('HGET', P .. 'dead', node) or '0'
    end
  end
  return {fields, dead}
end
