-- uses: online, drop_node
-- Renew the lease of a node, note downtime, and give up nodes whose beats have stopped.
-- ARGV: node, status, lease, gap, the number of downtimes that the node knows, most downtimes kept, schema,
--   'all' if the players that follow are all that are connected to the node, the number of new ones, these, those who left.
-- Returns the time, whether the node had no lease, the number of downtimes, the downtimes if there are new ones, statuses,
-- the number of players on all nodes.
local schema = redis.call('GET', P .. 'schema')
if schema and schema ~= ARGV[7] then
  return {err = 'SCHEMA the data have schema ' .. schema}
end
local node, lease, gap = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local function text(number)
  return string.format('%.0f', number)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local skew = tonumber(redis.call('GET', P .. 'skew') or 0)
local newest = tonumber(redis.call('GET', P .. 'clock') or 0)
if now + skew < newest then
  -- This primary's clock is behind that of the last one: time continues from the newest beat.
  skew = newest - now
  redis.call('SET', P .. 'skew', text(skew))
end
now = now + skew
if newest > 0 and now - newest > gap then
  redis.call('RPUSH', P .. 'downtimes', text(newest) .. ' ' .. text(now))
  redis.call('LTRIM', P .. 'downtimes', -ARGV[6], -1)
  redis.call('INCR', P .. 'downtime_count')
  redis.call('SET', P .. 'resumed', text(now))
end
redis.call('SET', P .. 'clock', text(now))
local resumed = tonumber(redis.call('GET', P .. 'resumed') or 0)
local joined = redis.call('HSET', P .. 'nodes', node, text(now))
if ARGV[2] ~= '' then
  redis.call('HSET', P .. 'statuses', node, ARGV[2])
end
redis.call('HDEL', P .. 'dead', node)
local nodes = redis.call('HGETALL', P .. 'nodes')
for at = 1, #nodes, 2 do
  local other, beat = nodes[at], tonumber(nodes[at + 1])
  -- No node can beat while the store is away, so nobody is given up for that time.
  if other ~= node and now - math.max(beat, resumed) > lease then
    drop_node(other, text(beat))
  end
end
if ARGV[8] == 'all' then
  clear_online(node)
end
for at = 10, #ARGV do
  (at < 10 + ARGV[9] and add_online or remove_online)(node, ARGV[at])
end
local count = redis.call('GET', P .. 'downtime_count') or '0'
local downtimes = false
if count ~= ARGV[5] then
  downtimes = redis.call('LRANGE', P .. 'downtimes', 0, -1)
end
return {text(now), joined, count, downtimes, redis.call('HVALS', P .. 'statuses'),
  redis.call('HLEN', P .. 'online')}
