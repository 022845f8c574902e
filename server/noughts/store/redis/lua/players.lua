-- Guests, the hashes of their tokens, resume codes and subscriptions; and secrets. ARGV: what to do, then its words.
local function revoke(player)
  local code = redis.call('HGET', P .. 'code_of', player)
  if code then
    redis.call('HDEL', P .. 'codes', code)
    redis.call('ZREM', P .. 'code_ends', code)
    redis.call('HDEL', P .. 'code_of', player)
  end
end

local function unsubscribe(endpoint, player)
  redis.call('ZREM', P .. 'push:' .. player, endpoint)
  redis.call('HDEL', P .. 'push_of', endpoint)
  redis.call('HDEL', P .. 'push_keys', endpoint)
  redis.call('HDEL', P .. 'push_fails', endpoint)
end

local function delete(player)
  for _, endpoint in ipairs(redis.call('ZRANGE', P .. 'push:' .. player, 0, -1)) do
    unsubscribe(endpoint, player)
  end
  for _, token in ipairs(redis.call('SMEMBERS', P .. 'tokens:' .. player)) do
    redis.call('HDEL', P .. 'tokens', token)
    redis.call('HDEL', P .. 'token_times', token)
  end
  revoke(player)
  local identity = redis.call('HGET', P .. 'sign_on_of', player)
  if identity then
    redis.call('HDEL', P .. 'sign_ons', identity)
    redis.call('HDEL', P .. 'sign_on_of', player)
  end
  redis.call('ZREM', P .. 'seen', player)
  return redis.call('DEL', P .. 'player:' .. player, P .. 'tokens:' .. player, P .. 'wrote:' .. player)
end

local function read(player)
  local fields = redis.call('HMGET', P .. 'player:' .. player, 'name', 'bot')
  return fields[1] and {player, fields[1], redis.call('ZSCORE', P .. 'seen', player), fields[2] or '0'}
end

local function times_of(token)
  local times = redis.call('HGET', P .. 'token_times', token)
  if times then
    return string.match(times, '^(%d+) (%d+)$')
  end
end

local function add_token(player, token, made_ms)
  redis.call('HSET', P .. 'token_times', token, made_ms .. ' ' .. made_ms)
  redis.call('HSET', P .. 'tokens', token, player)
  redis.call('SADD', P .. 'tokens:' .. player, token)
end

local acts = {}

function acts.add(player, name, seen_ms, token, bot, made_ms)
  if redis.call('EXISTS', P .. 'player:' .. player) == 1 or redis.call('HEXISTS', P .. 'tokens', token) == 1 then
    return 0
  end
  redis.call('HSET', P .. 'player:' .. player, 'name', name, 'bot', bot)
  redis.call('ZADD', P .. 'seen', seen_ms, player)
  add_token(player, token, made_ms)
  return 1
end

function acts.sign_on(identity, player, name, seen_ms, token, bot, made_ms)
  local present = redis.call('HGET', P .. 'sign_ons', identity)
  if present then
    return acts.add_token(present, token, made_ms) == 1 and read(present)
  end
  if acts.add(player, name, seen_ms, token, bot, made_ms) == 0 then
    return false
  end
  redis.call('HSET', P .. 'sign_ons', identity, player)
  redis.call('HSET', P .. 'sign_on_of', player, identity)
  return read(player)
end

function acts.add_token(player, token, made_ms)
  if redis.call('HEXISTS', P .. 'tokens', token) == 1 then
    return 0
  end
  add_token(player, token, made_ms)
  return 1
end

function acts.read(player)
  return read(player)
end

function acts.by_token(token)
  local player = redis.call('HGET', P .. 'tokens', token)
  local fields = player and read(player)
  local _, seen_ms = times_of(token)
  if fields and tonumber(seen_ms or 0) > 0 and tonumber(seen_ms) < tonumber(fields[3]) then
    fields[3] = seen_ms
  end
  return fields
end

function acts.tokens(player)
  local answer = {}
  for _, token in ipairs(redis.call('SMEMBERS', P .. 'tokens:' .. player)) do
    local made_ms, seen_ms = times_of(token)
    for _, word in ipairs({token, made_ms or '0', seen_ms or '0'}) do
      answer[#answer + 1] = word
    end
  end
  return answer
end

function acts.known(...)
  local known = {}
  for _, token in ipairs({...}) do
    if redis.call('HEXISTS', P .. 'tokens', token) == 1 then
      known[#known + 1] = token
    end
  end
  return known
end

function acts.delete_token(player, token)
  if redis.call('SREM', P .. 'tokens:' .. player, token) == 1 then
    redis.call('HDEL', P .. 'tokens', token)
    redis.call('HDEL', P .. 'token_times', token)
  end
  return 1
end

function acts.names(...)
  local names = {}
  for _, player in ipairs({...}) do
    names[#names + 1] = redis.call('HGET', P .. 'player:' .. player, 'name')
  end
  return names
end

function acts.rename(player, name)
  if redis.call('EXISTS', P .. 'player:' .. player) == 1 then
    redis.call('HSET', P .. 'player:' .. player, 'name', name)
  end
  return 1
end

function acts.seen(player, at_ms, token)
  if redis.call('HEXISTS', P .. 'tokens', token) == 1 then
    local made_ms = times_of(token)
    redis.call('HSET', P .. 'token_times', token, (made_ms or '0') .. ' ' .. at_ms)
  end
  return redis.call('ZADD', P .. 'seen', 'XX', at_ms, player)
end

function acts.delete(player)
  return delete(player)
end

function acts.unseen(before_ms, most)
  return redis.call('ZRANGEBYSCORE', P .. 'seen', '-inf', '(' .. before_ms, 'LIMIT', 0, most)
end

function acts.delete_unseen(before_ms, ...)
  local count = 0
  for _, player in ipairs({...}) do
    local seen_ms = redis.call('ZSCORE', P .. 'seen', player)
    if seen_ms and tonumber(seen_ms) < tonumber(before_ms) then
      delete(player)
      count = count + 1
    end
  end
  return count
end

function acts.add_code(code, player, ends_ms)
  revoke(player)
  redis.call('HSET', P .. 'codes', code, player)
  redis.call('HSET', P .. 'code_of', player, code)
  redis.call('ZADD', P .. 'code_ends', ends_ms, code)
  return 1
end

function acts.take_code(code, now_ms)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', P .. 'code_ends', '-inf', now_ms)) do
    revoke(redis.call('HGET', P .. 'codes', old))
  end
  local player = redis.call('HGET', P .. 'codes', code)
  if player then
    revoke(player)
  end
  return player
end

function acts.secret(name, candidate)
  redis.call('HSETNX', P .. 'secrets', name, candidate)
  return redis.call('HGET', P .. 'secrets', name)
end

function acts.subscribe(endpoint, player, made_ms, keys, fails_ms, most)
  if redis.call('EXISTS', P .. 'player:' .. player) == 0 then
    return 0
  end
  unsubscribe(endpoint, redis.call('HGET', P .. 'push_of', endpoint) or player)
  redis.call('ZADD', P .. 'push:' .. player, made_ms, endpoint)
  redis.call('HSET', P .. 'push_of', endpoint, player)
  redis.call('HSET', P .. 'push_keys', endpoint, keys)
  redis.call('HSET', P .. 'push_fails', endpoint, fails_ms)
  for _, old in ipairs(redis.call('ZRANGE', P .. 'push:' .. player, 0, -1 - most)) do
    unsubscribe(old, player)
  end
  return 1
end

function acts.unsubscribe(endpoint, player)
  if redis.call('HGET', P .. 'push_of', endpoint) == player then
    unsubscribe(endpoint, player)
  end
  return 1
end

function acts.subscriptions(player)
  local found, key = {}, P .. 'push:' .. player
  for _, endpoint in ipairs(redis.call('ZREVRANGE', key, 0, -1)) do
    found[#found + 1] = {
      endpoint, player, redis.call('HGET', P .. 'push_keys', endpoint),
      redis.call('ZSCORE', key, endpoint), redis.call('HGET', P .. 'push_fails', endpoint),
    }
  end
  return found
end

function acts.note_failure(endpoint, since_ms)
  if redis.call('HEXISTS', P .. 'push_of', endpoint) == 1 then
    redis.call('HSET', P .. 'push_fails', endpoint, since_ms)
  end
  return 1
end

function acts.add_pass(pass, expires_ms, now_ms)
  local all = redis.call('HGETALL', P .. 'passes')
  for at = 1, #all, 2 do
    if tonumber(all[at + 1]) <= tonumber(now_ms) then
      redis.call('HDEL', P .. 'passes', all[at])
    end
  end
  return redis.call('HSET', P .. 'passes', pass, expires_ms)
end

function acts.take_pass(pass, now_ms)
  local expires_ms = redis.call('HGET', P .. 'passes', pass)
  redis.call('HDEL', P .. 'passes', pass)
  return expires_ms and tonumber(expires_ms) > tonumber(now_ms) and 1 or 0
end

local words = {}
for at = 2, #ARGV do
  words[#words + 1] = ARGV[at]
end
return acts[ARGV[1]](unpack(words))
