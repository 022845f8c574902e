-- uses: clock
-- Use one credit of a bucket that is refilled with time. KEYS[1]: the bucket. ARGV: burst, credits a second; "give" returns
-- a credit instead.
-- Returns 0, or the milliseconds until there is a credit.
local burst, per_s, now = tonumber(ARGV[1]), tonumber(ARGV[2]), now_ms()
local bucket = redis.call('HMGET', KEYS[1], 'c', 's')
local credits = burst
if bucket[1] then
  credits = math.min(burst, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) / 1000 * per_s)
end
local wait = 0
if ARGV[3] == 'give' then
  credits = math.min(burst, credits + 1)
elseif credits < 1 then
  wait = math.max(1, math.ceil((1 - credits) / per_s * 1000))
else
  credits = credits - 1
end
redis.call('HSET', KEYS[1], 'c', string.format('%.17g', credits), 's', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil((burst - credits) / per_s * 1000) + 1000))
return wait
