-- KEYS: meta, routes. ARGV: generation. The version (0: cold), and session, route of each.
local version = 0
if is_warm(KEYS[1], ARGV[1]) then version = tonumber(redis.call('HGET', KEYS[1], 'ver')) end
return {version, redis.call('HGETALL', KEYS[2])}
