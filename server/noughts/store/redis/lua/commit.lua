-- uses: clock, room, notify
-- Carry out one change of a value: compare versions, write, index, and tell the nodes that hold the value.
-- KEYS[1]: the value. ARGV: node, id, expected version, version, flags, then what the flags name, in this order:
--   d bytes | i deadline, list, variant, players, whether time runs | a command ids of a new value | c player, id of the command
--   r how many records, then their numbers and bytes | o number of the chat line before | l chat line | n news for other nodes
-- and without words: x close the value, k only check the version and the id.
-- Returns the number of the chat line (0: none), {'known', version}, or {'conflict', value}.
-- A move has the flags 'dc' or 'dcn', and takes the way with the fewest calls.
local key, node, value, expected, version, flags = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local call, ids = redis.call, K .. 'ids:' .. ARGV[2]
local data, wake, listing, variant, players, runs, answered, player, id, first, count, before, line, news
local closes, checks = false, false
if flags == 'dc' then
  data, player, id = ARGV[6], ARGV[7], ARGV[8]
elseif flags == 'dcn' then
  data, player, id, news = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
else
  local at, find = 5, string.find
  if find(flags, 'd', 1, true) then at = at + 1; data = ARGV[at] end
  if find(flags, 'i', 1, true) then
    wake, listing, variant, players, runs = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
    at = at + 5
  end
  if find(flags, 'a', 1, true) then at = at + 1; answered = ARGV[at] end
  if find(flags, 'c', 1, true) then player, id = ARGV[at + 1], ARGV[at + 2]; at = at + 2 end
  if find(flags, 'r', 1, true) then
    first, count = at + 2, ARGV[at + 1]
    at = at + 1 + 2 * count
  end
  if find(flags, 'o', 1, true) then at = at + 1; before = ARGV[at] end
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
  -- Without data the version does not change, so only the ids show a command that was answered before.
  local place = player and call('LPOS', ids, player .. '\0' .. id)
  if place then
    return {'known', call('LINDEX', ids, place + 1)}
  end
  if stored ~= expected then
    return {'conflict', read_row(value)}
  end
  if checks then
    return 0
  end
end

local said = 0
local function notify_change()
  local head = expected .. ' ' .. version .. ' ' .. (closes and 1 or 0) .. ' ' .. said .. ' ' .. #value
    .. ' ' .. (data and #data or -1) .. ' ' .. (player and #player or -1) .. ' ' .. (id and #id or -1)
    .. ' ' .. (line and #line or -1) .. ' ' .. (news and #news or -1)
  notify(key, node, holders, C .. head .. '\n' .. value .. (data or '') .. (player or '') .. (id or '') .. (line or '')
    .. (news or ''))
end
local function author(text)  -- a line is [time,"player",...
  return string.match(text, '^%[%d+,"([^"]*)"') or ''
end
local others_hold = holders and holders ~= '' and holders ~= node

if data and not closes then
  -- The first write: without memory it fails, and then nothing is written. Redis lets a script that has begun end.
  call('HSET', key, 'v', version, 'd', data)
end
local old
if wake or closes then
  old = call('HMGET', key, 'l', 't', 'p', 'o', 'c')
  if old[1] and old[1] ~= '' and (closes or old[1] ~= listing or old[2] ~= variant) then
    call('ZREM', K .. old[1], value)
    call('ZREM', K .. old[1] .. ':' .. old[2], value)
  end
  if closes or old[3] ~= players then
    for person in string.gmatch(old[3] or '', '%S+') do
      call('SREM', K .. 'of:' .. person, value)
    end
  end
end
if closes then
  if others_hold then notify_change() end
  for _, old_line in ipairs(call('LRANGE', K .. 'lines:' .. value, 0, -1)) do
    call('SREM', K .. 'wrote:' .. author(old_line), value)
  end
  call('ZREM', K .. 'wake', value)
  call('ZREM', K .. 'created', value)
  call('DEL', key, ids, K .. 'lines:' .. value, RECORDS .. value, K .. 'here:' .. value)
  return 0
end
if expected == '0' then
  local order = call('INCR', K .. 'order')
  old[4] = order
  call('HSET', key, 'o', order)
  call('HSET', K .. 'here:' .. value, 's', string.format('%.0f', now_ms()))
  call('ZADD', K .. 'created', order, value)
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
  call('ZADD', K .. 'wake', wake, value)
  local moved, seated = old[1] ~= listing or old[2] ~= variant, old[3] ~= players
  if moved and listing ~= '' then
    call('ZADD', K .. listing, old[4], value)
    call('ZADD', K .. listing .. ':' .. variant, old[4], value)
  end
  if seated then
    for person in string.gmatch(players, '%S+') do
      call('SADD', K .. 'of:' .. person, value)
    end
  end
  if moved or seated or old[5] ~= runs then
    call('HSET', key, 'l', listing, 't', variant, 'p', players, 'c', runs)
  end
end
if player and call('RPUSH', ids, player .. '\0' .. id, version) % (2 * CUT_EVERY) == 0 then
  -- The rule of IdempotencyKeys.cut: the newest ids of each player, and of those who are not the value's own as many as fit.
  local all, counts, kept, own, owns = call('LRANGE', ids, 0, -1), {}, {}, {}, 0
  for person in string.gmatch(players or call('HGET', key, 'p') or '', '%S+') do
    own[person], owns = true, owns + 1
  end
  local share = math.max(LEAST_IDS, math.min(IDS_KEPT, math.floor(MAX_IDS / math.max(1, owns))))
  for place = #all - 1, 1, -2 do
    local owner = string.match(all[place], '^[^%z]*')
    counts[owner] = (counts[owner] or 0) + 1
    if counts[owner] <= share and (#kept < MAX_IDS or own[owner]) then
      kept[#kept + 1] = place
    end
  end
  call('DEL', ids)
  for place = #kept, 1, -1 do
    call('RPUSH', ids, all[kept[place]], all[kept[place] + 1])
  end
end
for at = first or 1, first and first + 2 * count - 1 or 0, 2 do
  call('HSET', RECORDS .. value, ARGV[at], ARGV[at + 1])
  if KEPT then
    call('HDEL', RECORDS .. value, string.format('%.0f', ARGV[at] - KEPT))
  end
end
if line then
  if before then call('HSET', key, 'n', before) end
  said = call('HINCRBY', key, 'n', 1)
  call('RPUSH', K .. 'lines:' .. value, line)
  call('LTRIM', K .. 'lines:' .. value, -100, -1)
  call('SADD', K .. 'wrote:' .. author(line), value)
end
if others_hold then notify_change() end
return said
