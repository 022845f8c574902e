-- uses: room, presence
-- Register a node as a holder of a room, and read the room with its presence. KEYS[1]: the room. ARGV: node, room.
local key, node, room = KEYS[1], ARGV[1], ARGV[2]
local stored = read_room(room)
if not stored then
  return false
end
if redis.call('HEXISTS', P .. 'nodes', node) == 0 then
  return {err = 'GIVENUP this node sent no beat for too long'}
end
local holders = redis.call('HGET', key, 'h') or ''
if not string.find(' ' .. holders .. ' ', ' ' .. node .. ' ', 1, true) then
  redis.call('HSET', key, 'h', holders == '' and node or holders .. ' ' .. node)
end
return {stored, settled_presence(room)}
