-- The store's time in milliseconds. It continues where it was when the primary's clock is behind the newest beat.
local function now_ms()
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(redis.call('GET', P .. 'skew') or 0)
  return math.max(now, tonumber(redis.call('GET', P .. 'clock') or 0))
end
