-- KEYS: minichat:access, minichat:changes. ARGV: the change (encoded), how many are kept.
-- Changes have the versions up to the counter, the newest last.
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[2]), -1)
return redis.call('INCR', KEYS[1])
