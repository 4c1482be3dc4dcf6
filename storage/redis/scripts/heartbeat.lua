-- KEYS: node:NAME, nodes, minichat:relay, minichat:hotbytes, minichat:gen, minichat:access. ARGV:
-- generation, incarnation, relay address, TTL in ms. Writes the entry again, and answers who is
-- alive, the relay mode that was set for the cluster, what all windows weigh, and the version of
-- the latest access change. A node whose generation is over is gone, though its entry stands here
-- still.
local generation, incarnation, relay, ttl = unpack(ARGV)
local own = redis.call('HMGET', KEYS[1], 'gen', 'inc')
local outcome = 'ok'
if own[1] ~= generation or redis.call('HGET', KEYS[5], 'n') ~= generation then
  outcome = 'gone'
elseif own[2] ~= incarnation then
  outcome = 'taken'
end

local live = {}
if outcome == 'ok' then
  redis.call('HSET', KEYS[1], 'relay', relay, 'at', text(now_ms()))
  redis.call('PEXPIRE', KEYS[1], ttl)
  for _, node in ipairs(redis.call('SMEMBERS', KEYS[2])) do
    local name, of = string.match(node, '^(%S+) (.+)$')
    local entry = redis.call('HMGET', 'node:' .. name, 'gen', 'inc', 'relay')
    if entry[1] == generation and entry[2] == of then
      live[#live + 1] = {name, of, entry[3]}
    end
  end
end

local mode = redis.call('HMGET', KEYS[3], 'version', 'mode')
return {outcome, live, tonumber(mode[1] or 0), mode[2] or '',
        tonumber(redis.call('GET', KEYS[4]) or 0), tonumber(redis.call('GET', KEYS[6]) or 0)}
