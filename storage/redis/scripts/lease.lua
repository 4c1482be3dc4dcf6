-- KEYS: meta, lease. ARGV: generation, token, TTL in ms.
if is_warm(KEYS[1], ARGV[1]) then return 'open' end
return redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) and 'granted' or 'busy'
