-- uses: room
-- Read everything of a value at once. ARGV: its id. Returns the value, its index entry, its deadline and its records.
local id = ARGV[1]
local stored = read_row(id)
if not stored then
  return false
end
local entry = redis.call('HMGET', ROW .. id, 'l', 't', 'p', 'c')
local wake = redis.call('ZSCORE', K .. 'wake', id) or '0'
return {stored, entry[1] or '', entry[2] or '', entry[3] or '', entry[4] or '', wake, redis.call('HGETALL', RECORDS .. id)}
