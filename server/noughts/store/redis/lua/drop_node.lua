-- End a node: it holds nothing any more, its players left at this time, and the other nodes learn of it.
local function drop_node(node, at)
  redis.call('HDEL', P .. 'nodes', node)
  redis.call('HDEL', P .. 'statuses', node)
  clear_online(node)
  redis.call('HSET', P .. 'dead', node, at)
  redis.call('PUBLISH', P .. 'all', 'd' .. at .. ' ' .. node)
  if redis.call('HLEN', P .. 'dead') > 1000 then
    -- Forget ends after thirty days. A room that still names such a node then counts its players as away since 1970.
    local ends = redis.call('HGETALL', P .. 'dead')
    for place = 1, #ends, 2 do
      if ends[place + 1] + 2592000000 < at + 0 then
        redis.call('HDEL', P .. 'dead', ends[place])
      end
    end
  end
end
