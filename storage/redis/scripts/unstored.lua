-- KEYS: minichat:unstored, minichat:gen. ARGV: generation, age in ms, limit. The window's entries that have had a
-- place for longer and no row. Bounded: what is left over is the next call's.
local generation, age, limit = unpack(ARGV)
limit = tonumber(limit)
local before = now_ms() - tonumber(age)
local entries_left = 1000
local found = {}

local function take_from(room, from)
  local count = math.min(100, entries_left)
  while #found < limit and count > 0 do
    local entries = redis.call('XRANGE', key_of(room, 'hot'), text(from), '+', 'COUNT', count)
    for _, entry in ipairs(entries) do
      local seq = seq_of(entry)
      local at = placed_at(key_of(room, 'u'), entry[2][4], seq)
      if #found >= limit or (at and at >= before) then return end
      if at then found[#found + 1] = entry end
      from = seq + 1
    end
    entries_left = entries_left - #entries
    if #entries < count then return end
    count = math.min(100, entries_left)
  end
end

local in_force = redis.call('HGET', KEYS[2], 'n') == generation
local rooms = redis.call('ZRANGE', KEYS[1], '-inf', '(' .. text(before), 'BYSCORE',
                         'LIMIT', 0, 200)
for _, room in ipairs(rooms) do
  local meta = redis.call('HMGET', key_of(room, 'm'), 'gen', 'stored')
  if meta[1] == generation then
    take_from(room, tonumber(meta[2]) + 1)
  elseif in_force then
    redis.call('ZREM', KEYS[1], room)  -- of an earlier generation: would stand first for ever
  end
end
return found
