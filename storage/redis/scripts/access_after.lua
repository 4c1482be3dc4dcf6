-- KEYS: minichat:access, minichat:changes. ARGV: a version. Answers the present version, 1 if all
-- changes after the given one are known, and those that are.
local version = tonumber(redis.call('GET', KEYS[1]) or 0)
local wanted = version - tonumber(ARGV[1])
local changes = {}
if wanted > 0 then changes = redis.call('LRANGE', KEYS[2], -wanted, -1) end
return {version, #changes == wanted and 1 or 0, changes}
