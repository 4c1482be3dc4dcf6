-- They have rows now: forgets each (id, seq) that still matches, trims the window.
-- KEYS: meta, hot, u, minichat:hotbytes, minichat:unstored.
-- ARGV: generation, room, room TTL in ms, events to keep; then id, seq of each.
local meta_key, hot_key, unstored_key, total_key, waiting_key = unpack(KEYS)
local generation, room, room_ttl, keep = unpack(ARGV)
-- Entries that one call looks at, at the most: the next call goes on.
local max_entries = 1000

local meta = redis.call('HMGET', meta_key, 'gen', 'seq', 'stored', 'bytes', 'idle')
if meta[1] ~= generation then return 0 end
for i = 5, #ARGV, 2 do
  local entry = redis.call('HGET', unstored_key, ARGV[i])
  if entry and string.match(entry, '^%d+') == ARGV[i + 1] then
    redis.call('HDEL', unstored_key, ARGV[i])
  end
end
local all_stored = redis.call('HLEN', unstored_key) == 0

-- The first entry that has no row, and when it was placed.
local function first_without_row(from)
  local looked_at, count = 0, #ARGV / 2
  while looked_at < max_entries do
    local entries = redis.call('XRANGE', hot_key, text(from), '+', 'COUNT', count)
    for _, entry in ipairs(entries) do
      local seq = seq_of(entry)
      local at = placed_at(unstored_key, entry[2][4], seq)
      if at then return seq, at end
      from = seq + 1
    end
    looked_at = looked_at + #entries
    if #entries < count then break end
  end
  return from, nil
end

local stored, oldest = tonumber(meta[2]), nil
if not all_stored then
  stored, oldest = first_without_row(tonumber(meta[3]) + 1)
  stored = stored - 1
end

-- From the low end only, and not past what has no row: window and rows together are complete.
local trimmed = 0
local excess = math.min(redis.call('XLEN', hot_key) - tonumber(keep), max_entries)
if excess > 0 then
  local low = redis.call('XRANGE', hot_key, '-', text(stored), 'COUNT', excess)
  for _, entry in ipairs(low) do trimmed = trimmed + tonumber(entry[2][6]) end
  if #low > 0 then redis.call('XTRIM', hot_key, 'MINID', text(seq_of(low[#low]) + 1)) end
end

local idle = meta[5] == '1'
local bytes = tonumber(meta[4]) - trimmed
local given_back = all_stored and tonumber(meta[4]) or trimmed
if not idle then redis.call('DECRBY', total_key, text(given_back)) end
redis.call('HSET', meta_key, 'stored', text(stored), 'bytes', text(bytes),
           'idle', all_stored and '1' or '0')
if all_stored then
  redis.call('ZREM', waiting_key, room)
  redis.call('PEXPIRE', meta_key, room_ttl)
  redis.call('PEXPIRE', hot_key, room_ttl)
elseif oldest then
  redis.call('ZADD', waiting_key, text(oldest), room)
end
return 1
