-- KEYS: meta and routes of each room. ARGV: generation. Of each the head (-1: cold), up to where all
-- has rows, the version of the routes and how many they are.
local heads = {}
for i = 1, #KEYS, 2 do
  local meta = redis.call('HMGET', KEYS[i], 'gen', 'seq', 'stored', 'ver')
  local cold = meta[1] ~= ARGV[1]
  heads[#heads + 1] = cold and -1 or tonumber(meta[2])
  heads[#heads + 1] = cold and -1 or tonumber(meta[3])
  heads[#heads + 1] = cold and -1 or tonumber(meta[4])
  heads[#heads + 1] = cold and -1 or redis.call('HLEN', KEYS[i + 1])
end
return heads
