-- KEYS: meta, hot. ARGV: generation, first and last seq, limit, "1": from the end.
-- The head, seq and prev of the lowest entry, and the entries (from the end: descending).
local generation, first, last, limit, from_end = unpack(ARGV)
local meta = redis.call('HMGET', KEYS[1], 'gen', 'seq')
if meta[1] ~= generation then return {'cold'} end

local lowest = {}
local bottom = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
if bottom then lowest = {seq_of(bottom), tonumber(bottom[2][2])} end

local entries = {}
if tonumber(limit) > 0 then
  if from_end == '1' then
    entries = redis.call('XREVRANGE', KEYS[2], last, first, 'COUNT', limit)
  else
    entries = redis.call('XRANGE', KEYS[2], first, last, 'COUNT', limit)
  end
end
return {'warm', tonumber(meta[2]), lowest, entries}
