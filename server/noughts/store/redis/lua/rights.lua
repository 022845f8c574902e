-- Which commands of these may this user not run? Each word of ARGV is a command with its words, where K is the key of a text.
-- Redis judges the rights first: with them, the wrong kind of key ends each command, so nothing is changed.
local key = P .. 'rights'
local function denied(...)
  local answer = redis.pcall(...)
  local text = type(answer) == 'table' and answer.err or ''
  return string.find(text, 'NOPERM', 1, true) or string.find(text, "can't run this command", 1, true)
end

if denied('SET', key, 'text', 'PX', 10000) then
  return {'SET'}
end
local missing = {}
if denied('EXISTS', key) then
  return {'EXISTS'}
end
if redis.call('EXISTS', key) == 0 then  -- this Redis takes no changes now, and says so to each command
  return missing
end
for _, line in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(line, '%S+') do
    words[#words + 1] = word == 'K' and key or word
  end
  if denied(unpack(words)) then
    missing[#missing + 1] = words[1]
  end
end
if denied('DEL', key) then
  missing[#missing + 1] = 'DEL'
end
return missing
