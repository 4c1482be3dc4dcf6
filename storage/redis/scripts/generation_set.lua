-- KEYS: minichat:gen. ARGV: run id of this server, the number; then the mark that the caller saw.
-- Answers the mark in force: the first one for a run id wins.
local run_id, number, seen_run_id, seen_number, seen_since = unpack(ARGV)
local mark = redis.call('HMGET', KEYS[1], 'run_id', 'n', 'since')
if mark[1] ~= run_id then mark = {'', '0', '0'} end
if mark[1] == seen_run_id and mark[2] == seen_number and mark[3] == seen_since then
  mark = {run_id, number, text(now_ms())}
  redis.call('HSET', KEYS[1], 'run_id', mark[1], 'n', mark[2], 'since', mark[3])
end
return {mark[1], tonumber(mark[2]), tonumber(mark[3])}
