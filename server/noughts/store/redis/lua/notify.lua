-- Publish a message to the channels of the nodes that hold a room, but not to the sender. A node without a connection
-- no longer holds the room: it reads everything again once it is back.
local function notify(key, sender, holders, message)
  if not holders or holders == '' or holders == sender then
    return
  end
  local gone = false
  for node in string.gmatch(holders, '%S+') do
    if node ~= sender and redis.call('PUBLISH', P .. 'in:' .. node, message) == 0 then
      gone = true
      holders = (' ' .. holders .. ' '):gsub(' ' .. node:gsub('%p', '%%%0') .. ' ', ' '):match('^%s*(.-)%s*$')
    end
  end
  if gone then
    redis.call('HSET', key, 'h', holders)
  end
end
