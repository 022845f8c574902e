-- uses: room, presence
-- Register a node as a holder of a value, and read the value with its presence. KEYS[1]: the value. ARGV: node, id.
local key, node, id = KEYS[1], ARGV[1], ARGV[2]
local stored = read_row(id)
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
return {stored, settled_presence(id)}
