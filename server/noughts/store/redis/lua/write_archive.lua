-- uses: clock
-- Write everything of a room that is not there yet.
-- ARGV: room, version, bytes, number of chat lines so far, deadline, list, variant, players, how many words with answered
-- ids follow, then these (player and id, version), how many chat lines, then these, and the numbers and records of games.
local room, listing, variant, players = ARGV[1], ARGV[6], ARGV[7], ARGV[8]
local key, order = P .. 'room:' .. room, redis.call('INCR', P .. 'order')
redis.call('HSET', key, 'v', ARGV[2], 'd', ARGV[3], 'n', ARGV[4], 'o', order, 'l', listing, 't', variant, 'p', players)
redis.call('HSET', P .. 'here:' .. room, 's', string.format('%.0f', now_ms()))
redis.call('ZADD', P .. 'created', order, room)
redis.call('ZADD', P .. 'wake', ARGV[5], room)
if listing ~= '' then
  redis.call('ZADD', P .. listing, order, room)
  redis.call('ZADD', P .. listing .. ':' .. variant, order, room)
end
for person in string.gmatch(players, '%S+') do
  redis.call('SADD', P .. 'of:' .. person, room)
end
local at = 9
for _, name in ipairs({'ids:', 'lines:'}) do
  local last = at + ARGV[at]
  while at < last do
    at = at + 1
    redis.call('RPUSH', P .. name .. room, ARGV[at])
  end
  at = at + 1
end
while at < #ARGV do
  redis.call('HSET', P .. 'games:' .. room, ARGV[at], ARGV[at + 1])
  at = at + 2
end
return 1
