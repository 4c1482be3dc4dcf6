-- KEYS: node:NAME, nodes. ARGV: generation, name, incarnation, relay address, TTL and two beats in
-- ms. Takes the name when it is free, one's own, or its holder missed two beats.
local generation, name, incarnation, relay, ttl, two_beats = unpack(ARGV)
local now = now_ms()
local holder = redis.call('HMGET', KEYS[1], 'gen', 'inc', 'at')
local held = holder[1] == generation and holder[2] ~= incarnation
if held and now - tonumber(holder[3]) < tonumber(two_beats) then return 0 end
redis.call('HSET', KEYS[1], 'gen', generation, 'inc', incarnation, 'relay', relay, 'at', text(now))
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('SADD', KEYS[2], name .. ' ' .. incarnation)
return 1
