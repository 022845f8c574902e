-- uses: presence
-- Read the newest values of a list, newest first, with their presence. KEYS[1]: the list. ARGV: the most values.
local rows = {}
for _, id in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, ARGV[1] - 1)) do
  rows[#rows + 1] = {id, redis.call('HGET', ROW .. id, 'd'), read_presence(id)}
end
return rows
