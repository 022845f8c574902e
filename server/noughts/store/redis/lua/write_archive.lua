-- uses: clock
-- Write everything of a value that is not there yet.
-- ARGV: id, version, bytes, number of chat lines so far, deadline, list, variant, players, whether time runs, how many words with answered
-- ids follow, then these (player and id, version), how many chat lines, then these, and the numbers and bytes of records.
local id, listing, variant, players = ARGV[1], ARGV[6], ARGV[7], ARGV[8]
local key, order = ROW .. id, redis.call('INCR', K .. 'order')
redis.call('HSET', key, 'v', ARGV[2], 'd', ARGV[3], 'n', ARGV[4], 'o', order, 'l', listing, 't', variant, 'p', players, 'c', ARGV[9])
redis.call('HSET', K .. 'here:' .. id, 's', string.format('%.0f', now_ms()))
redis.call('ZADD', K .. 'created', order, id)
redis.call('ZADD', K .. 'wake', ARGV[5], id)
if listing ~= '' then
  redis.call('ZADD', K .. listing, order, id)
  redis.call('ZADD', K .. listing .. ':' .. variant, order, id)
end
for person in string.gmatch(players, '%S+') do
  redis.call('SADD', K .. 'of:' .. person, id)
end
local at = 10
for _, name in ipairs({'ids:', 'lines:'}) do
  local last = at + ARGV[at]
  while at < last do
    at = at + 1
    redis.call('RPUSH', K .. name .. id, ARGV[at])
  end
  at = at + 1
end
while at < #ARGV do
  redis.call('HSET', RECORDS .. id, ARGV[at], ARGV[at + 1])
  at = at + 2
end
return 1
