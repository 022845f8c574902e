-- uses: clock, room, tell
-- Carry out one change of a room: compare versions, write, index, and tell the nodes that hold the room.
-- KEYS[1]: the room. ARGV: node, room, expected version, version, flags, then what the flags name, in this order:
--   d bytes | i deadline, list, variant, players | a answered ids of a new room | c player, id of the command
--   g number, record of a finished game | l chat line | n news for other nodes
-- and without words: x close the room, k only check the version and the id.
-- Returns the number of the chat line (0: none), {'known', version}, or {'conflict', room}.
local key, node, room, expected, version, flags = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local at, find = 5, string.find
local data, wake, listing, variant, players, answered, player, id, number, record, line, news
if find(flags, 'd', 1, true) then at = at + 1; data = ARGV[at] end
if find(flags, 'i', 1, true) then
  wake, listing, variant, players = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
  at = at + 4
end
if find(flags, 'a', 1, true) then at = at + 1; answered = ARGV[at] end
if find(flags, 'c', 1, true) then player, id = ARGV[at + 1], ARGV[at + 2]; at = at + 2 end
if find(flags, 'g', 1, true) then number, record = ARGV[at + 1], ARGV[at + 2]; at = at + 2 end
if find(flags, 'l', 1, true) then at = at + 1; line = ARGV[at] end
if find(flags, 'n', 1, true) then at = at + 1; news = ARGV[at] end
local closes, checks = find(flags, 'x', 1, true), find(flags, 'k', 1, true)
local ids = P .. 'ids:' .. room

local function known()
  local place = player and redis.call('LPOS', ids, player .. '\0' .. id)
  return place and redis.call('LINDEX', ids, place + 1)
end

local function prune()
  -- Keep the newest 64 ids of each player.
  local all, counts, kept = redis.call('LRANGE', ids, 0, -1), {}, {}
  for place = #all - 1, 1, -2 do
    local owner = string.match(all[place], '^[^%z]*')
    counts[owner] = (counts[owner] or 0) + 1
    if counts[owner] <= 64 then
      kept[#kept + 1] = place
    end
  end
  redis.call('DEL', ids)
  for place = #kept, 1, -1 do
    redis.call('RPUSH', ids, all[kept[place]], all[kept[place] + 1])
  end
end

local function unseat(text)
  for person in string.gmatch(text or '', '%S+') do
    redis.call('SREM', P .. 'of:' .. person, room)
  end
end

local function unlist(list, kind)
  if list and list ~= '' then
    redis.call('ZREM', P .. list, room)
    redis.call('ZREM', P .. list .. ':' .. kind, room)
  end
end

if redis.call('HEXISTS', P .. 'nodes', node) == 0 then
  return {err = 'GIVENUP this node sent no beat for too long'}
end
local stored = redis.call('HGET', key, 'v')
if (stored or '0') ~= expected then
  local before = known()
  if before then
    return {'known', before}
  end
  return {'conflict', read_room(room)}
end
if not data and not closes then
  -- The version stays as it is, so only the ids show a command that was answered before.
  local before = known()
  if before then
    return {'known', before}
  end
  if checks then
    return 0
  end
end

local said = 0

local function tell_change()
  local holders = redis.call('HGET', key, 'h')
  if not holders or holders == '' or holders == node then
    return
  end
  local parts = {
    expected, version, closes and 1 or 0, said, #room, data and #data or -1, player and #player or -1, id and #id or -1,
    line and #line or -1, news and #news or -1,
  }
  tell(key, node, table.concat({
    'c', table.concat(parts, ' '), '\n', room, data or '', player or '', id or '', line or '', news or '',
  }))
end

if closes then
  local old = redis.call('HMGET', key, 'l', 't', 'p')
  tell_change()
  unlist(old[1], old[2])
  unseat(old[3])
  redis.call('ZREM', P .. 'wake', room)
  redis.call('ZREM', P .. 'created', room)
  redis.call('DEL', key, ids, P .. 'lines:' .. room, P .. 'games:' .. room, P .. 'here:' .. room)
  return 0
end
if data then
  redis.call('HSET', key, 'v', version, 'd', data)
end
if expected == '0' then
  local order = redis.call('INCR', P .. 'order')
  redis.call('HSET', key, 'o', order)
  redis.call('HSET', P .. 'here:' .. room, 's', string.format('%.0f', now_ms()))
  redis.call('ZADD', P .. 'created', order, room)
  if answered and answered ~= '' then
    local list = {}
    for owner, versions in pairs(cmsgpack.unpack(answered)) do
      for name, number_of in pairs(versions) do
        list[#list + 1] = {owner .. '\0' .. name, number_of}
      end
    end
    table.sort(list, function(one, two)
      return one[2] < two[2] or (one[2] == two[2] and one[1] < two[1])
    end)
    for _, entry in ipairs(list) do
      redis.call('RPUSH', ids, entry[1], string.format('%.0f', entry[2]))
    end
  end
end
if wake then
  redis.call('ZADD', P .. 'wake', wake, room)
  local old = redis.call('HMGET', key, 'l', 't', 'p', 'o')
  if old[1] ~= listing or old[2] ~= variant then
    unlist(old[1], old[2])
    if listing ~= '' then
      redis.call('ZADD', P .. listing, old[4], room)
      redis.call('ZADD', P .. listing .. ':' .. variant, old[4], room)
    end
  end
  if old[3] ~= players then
    unseat(old[3])
    for person in string.gmatch(players, '%S+') do
      redis.call('SADD', P .. 'of:' .. person, room)
    end
  end
  if old[1] ~= listing or old[2] ~= variant or old[3] ~= players then
    redis.call('HSET', key, 'l', listing, 't', variant, 'p', players)
  end
end
if player and redis.call('RPUSH', ids, player .. '\0' .. id, version) % 128 == 0 then
  prune()
end
if number then
  redis.call('HSET', P .. 'games:' .. room, number, record)
  redis.call('HDEL', P .. 'games:' .. room, string.format('%.0f', number - 100)) -- the newest hundred stay
end
if line then
  said = redis.call('HINCRBY', key, 'n', 1)
  redis.call('RPUSH', P .. 'lines:' .. room, line)
  redis.call('LTRIM', P .. 'lines:' .. room, -100, -1)
end
tell_change()
return said
