-- KEYS: meta of each room. ARGV: generation. Of each the head (-1: cold), and up to where all has
-- rows.
local heads = {}
for _, key in ipairs(KEYS) do
  local meta = redis.call('HMGET', key, 'gen', 'seq', 'stored')
  local cold = meta[1] ~= ARGV[1]
  heads[#heads + 1] = cold and -1 or tonumber(meta[2])
  heads[#heads + 1] = cold and -1 or tonumber(meta[3])
end
return heads
