-- Count each player once who is connected to any node. A set for each node has its players, a hash the number of nodes of each.
local function add_online(node, player)
  if redis.call('SADD', P .. 'online:' .. node, player) == 1 then
    redis.call('HINCRBY', P .. 'online', player, 1)
  end
end
local function remove_online(node, player)
  if redis.call('SREM', P .. 'online:' .. node, player) == 1
    and redis.call('HINCRBY', P .. 'online', player, -1) < 1 then
    redis.call('HDEL', P .. 'online', player)
  end
end
local function clear_online(node)
  for _, player in ipairs(redis.call('SMEMBERS', P .. 'online:' .. node)) do
    remove_online(node, player)
  end
end
