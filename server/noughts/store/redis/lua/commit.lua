-- uses: clock, room, notify
-- Carry out one change of a room: compare versions, write, index, and tell the nodes that hold the room.
-- KEYS[1]: the room. ARGV: node, room, expected version, version, flags, then what the flags name, in this order:
--   d bytes | i deadline, list, variant, players | a answered ids of a new room | c player, id of the command
--   g number, record of a finished game | l chat line | n news for other nodes
-- and without words: x close the room, k only check the version and the id.
-- Returns the number of the chat line (0: none), {'known', version}, or {'conflict', room}.
-- A move has the flags 'dc' or 'dcn', and takes the way with the fewest calls.
local key, node, room, expected, version, flags = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local call, ids = redis.call, P .. 'ids:' .. ARGV[2]
local data, wake, listing, variant, players, answered, player, id, number, record, line, news
local closes, checks = false, false
if flags == 'dc' then
  data, player, id = ARGV[6], ARGV[7], ARGV[8]
elseif flags == 'dcn' then
  data, player, id, news = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
else
  local at, find = 5, string.find
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
  closes, checks = find(flags, 'x', 1, true), find(flags, 'k', 1, true)
end

if call('HEXISTS', P .. 'nodes', node) == 0 then
  return {err = 'GIVENUP this node sent no beat for too long'}
end
local fields = call('HMGET', key, 'v', 'h')
local stored, holders = fields[1] or '0', fields[2]
if stored ~= expected or (not data and not closes) then
  -- Without data the version stays as it is, so only the ids show a command that was answered before.
  local place = player and call('LPOS', ids, player .. '\0' .. id)
  if place then
    return {'known', call('LINDEX', ids, place + 1)}
  end
  if stored ~= expected then
    return {'conflict', read_room(room)}
  end
  if checks then
    return 0
  end
end

local said = 0
local function notify_change()
  local head = expected .. ' ' .. version .. ' ' .. (closes and 1 or 0) .. ' ' .. said .. ' ' .. #room
    .. ' ' .. (data and #data or -1) .. ' ' .. (player and #player or -1) .. ' ' .. (id and #id or -1)
    .. ' ' .. (line and #line or -1) .. ' ' .. (news and #news or -1)
  notify(key, node, holders, 'c' .. head .. '\n' .. room .. (data or '') .. (player or '') .. (id or '') .. (line or '')
    .. (news or ''))
end
local others_hold = holders and holders ~= '' and holders ~= node

if data and not closes then
  -- The first write: without memory it fails, and then nothing is written. Redis lets a script that has begun end.
  call('HSET', key, 'v', version, 'd', data)
end
local old
if wake or closes then
  old = call('HMGET', key, 'l', 't', 'p', 'o')
  if old[1] and old[1] ~= '' and (closes or old[1] ~= listing or old[2] ~= variant) then
    call('ZREM', P .. old[1], room)
    call('ZREM', P .. old[1] .. ':' .. old[2], room)
  end
  if closes or old[3] ~= players then
    for person in string.gmatch(old[3] or '', '%S+') do
      call('SREM', P .. 'of:' .. person, room)
    end
  end
end
if closes then
  if others_hold then notify_change() end
  call('ZREM', P .. 'wake', room)
  call('ZREM', P .. 'created', room)
  call('DEL', key, ids, P .. 'lines:' .. room, P .. 'games:' .. room, P .. 'here:' .. room)
  return 0
end
if expected == '0' then
  local order = call('INCR', P .. 'order')
  old[4] = order
  call('HSET', key, 'o', order)
  call('HSET', P .. 'here:' .. room, 's', string.format('%.0f', now_ms()))
  call('ZADD', P .. 'created', order, room)
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
      call('RPUSH', ids, entry[1], string.format('%.0f', entry[2]))
    end
  end
end
if wake then
  call('ZADD', P .. 'wake', wake, room)
  local moved, seated = old[1] ~= listing or old[2] ~= variant, old[3] ~= players
  if moved and listing ~= '' then
    call('ZADD', P .. listing, old[4], room)
    call('ZADD', P .. listing .. ':' .. variant, old[4], room)
  end
  if seated then
    for person in string.gmatch(players, '%S+') do
      call('SADD', P .. 'of:' .. person, room)
    end
  end
  if moved or seated then
    call('HSET', key, 'l', listing, 't', variant, 'p', players)
  end
end
if player and call('RPUSH', ids, player .. '\0' .. id, version) % 128 == 0 then
  -- Keep the newest 64 ids of each player: of the owner and the holders of seats, and of the others as far as 512 fit.
  local all, counts, kept = call('LRANGE', ids, 0, -1), {}, {}
  local seated = ' ' .. (players or call('HGET', key, 'p') or '') .. ' '
  for place = #all - 1, 1, -2 do
    local owner = string.match(all[place], '^[^%z]*')
    counts[owner] = (counts[owner] or 0) + 1
    if counts[owner] <= 64 and (#kept < 512 or string.find(seated, ' ' .. owner .. ' ', 1, true)) then
      kept[#kept + 1] = place
    end
  end
  call('DEL', ids)
  for place = #kept, 1, -1 do
    call('RPUSH', ids, all[kept[place]], all[kept[place] + 1])
  end
end
if number then
  call('HSET', P .. 'games:' .. room, number, record)
  call('HDEL', P .. 'games:' .. room, string.format('%.0f', number - 100)) -- the newest hundred stay
end
if line then
  said = call('HINCRBY', key, 'n', 1)
  call('RPUSH', P .. 'lines:' .. room, line)
  call('LTRIM', P .. 'lines:' .. room, -100, -1)
end
if others_hold then notify_change() end
return said
