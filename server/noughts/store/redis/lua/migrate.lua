-- uses: clock
-- Work on all data of an installation for one process, while no node runs. KEYS[1]: who does so.
-- ARGV: operation, token of the process, milliseconds for which no other process may begin, then by operation:
--   claim: schema, schema while the upgrade goes on, schema of the backup (a key), lease of a node
--   call: command | copy: length of the prefix, other prefix, keys | delete: keys | finish: schema
-- Returns 1, the answer of the command, or for claim: 'claimed', 'nodes' if a node runs, 'changed' for another schema.
local operation, token = ARGV[1], ARGV[2]
local migrator = redis.call('GET', KEYS[1])
if migrator and migrator ~= token or not migrator and operation ~= 'claim' then
  return {err = 'MIGRATING another node upgrades the data'}
end
if operation == 'claim' then
  if redis.call('GET', P .. 'schema') ~= ARGV[4] then
    return 'changed'
  end
  local now, nodes = now_ms(), redis.call('HGETALL', P .. 'nodes')
  for at = 1, #nodes, 2 do
    if now - tonumber(nodes[at + 1]) <= tonumber(ARGV[7]) then
      return 'nodes'
    end
  end
  -- Nodes that have stopped without a word must not go on with their leases when they continue.
  for at = 1, #nodes, 2 do
    redis.call('HSET', P .. 'dead', nodes[at], nodes[at + 1])
    redis.call('DEL', P .. 'online:' .. nodes[at])
  end
  redis.call('DEL', P .. 'nodes', P .. 'statuses', P .. 'online')
  if ARGV[4] ~= ARGV[5] then
    redis.call('DEL', ARGV[6])
    redis.call('SET', P .. 'schema', ARGV[5])
  end
  redis.call('SET', KEYS[1], token, 'PX', ARGV[3])
  return 'claimed'
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if operation == 'call' then
  return redis.call(unpack(ARGV, 4))
elseif operation == 'copy' then
  for at = 6, #ARGV do
    redis.call('COPY', ARGV[at], ARGV[5] .. string.sub(ARGV[at], ARGV[4] + 1), 'REPLACE')
  end
elseif operation == 'delete' then
  redis.call('DEL', unpack(ARGV, 4))
elseif operation == 'finish' then
  redis.call('SET', P .. 'schema', ARGV[4])
  redis.call('DEL', KEYS[1])
end
return 1
