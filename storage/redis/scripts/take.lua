-- KEYS: meta, u. ARGV: generation, ids. Of each id that has a place and no row: id, seq, prev, hash.
local found = {}
if not is_warm(KEYS[1], ARGV[1]) then return found end
for i = 2, #ARGV do
  local entry = redis.call('HGET', KEYS[2], ARGV[i])
  if entry then
    local seq, prev, hash = string.match(entry, '^(%d+) (%d+) (%d+) ')
    found[#found + 1] = {ARGV[i], tonumber(seq), tonumber(prev), hash}
  end
end
return found
