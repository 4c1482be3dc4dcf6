-- KEYS: minichat:gen. ARGV: run id of this server. The mark of another one counts as absent.
local mark = redis.call('HMGET', KEYS[1], 'run_id', 'n', 'since')
if mark[1] ~= ARGV[1] then return {'', 0, 0} end
return {mark[1], tonumber(mark[2]), tonumber(mark[3])}
