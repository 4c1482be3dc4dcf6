-- Gives a message its place, or finds the one it has.
-- KEYS: meta, hot, u, d:ID, minichat:gen, minichat:hotbytes, minichat:unstored.
local meta_key, hot_key, unstored_key, dedup_key, mark_key, total_key, waiting_key = unpack(KEYS)
local generation, floor, room, id, hash, attempt, sent_at, event, weight, resend, looked_up_at,
      looked_up_in, dedup_ttl, young_for, room_limit, total_limit = unpack(ARGV)

local meta = redis.call('HMGET', meta_key, 'gen', 'seq', 'ver', 'bytes', 'idle', 'used')
if meta[1] ~= generation then return {'cold'} end
local version = tonumber(meta[3])

-- Known: it has a place and no row, or it had one within the dedup TTL.
local known, own_attempt = redis.call('HGET', unstored_key, id), 0
local dedup = redis.call('GET', dedup_key)
if dedup then
  local placed_in, entry, placed_by = string.match(dedup, '^(%d+) (.+) (%d+)$')
  if placed_in == generation then
    known = known or entry
    if placed_by == attempt then own_attempt = 1 end
  end
end
if known then
  local seq, prev, first_hash, first_sent_at = string.match(known, '^(%d+) (%d+) (%d+) (%-?%d+)')
  local outcome = first_hash == hash and 'placed' or 'conflict'
  return {outcome, tonumber(seq), tonumber(prev), version, 1, own_attempt, tonumber(first_sent_at),
          0}
end

-- This memory may have forgotten the id: then Postgres must have been asked, lately.
local now = now_ms()
local must_look = resend == '1'
if not must_look and meta[6] == '1' then
  local mark = redis.call('HMGET', mark_key, 'n', 'since')
  local since = mark[1] == generation and tonumber(mark[2]) or now
  must_look = now - since < tonumber(young_for)
end
if must_look then
  local looked = looked_up_at ~= '' and looked_up_in == generation
  if not looked or now - tonumber(looked_up_at) > tonumber(dedup_ttl) / 2 then
    return {'miss', now}
  end
end

-- An idle room gave its bytes back and takes them all again.
local idle = meta[5] == '1'
local bytes = tonumber(meta[4]) + tonumber(weight)
if bytes > tonumber(room_limit) then return {'full'} end
local taken = idle and bytes or tonumber(weight)
local total = redis.call('INCRBY', total_key, text(taken))
if total > tonumber(total_limit) then
  redis.call('DECRBY', total_key, text(taken))
  return {'full'}
end

local prev = tonumber(meta[2])
local seq = math.max(prev, tonumber(floor)) + 1
local place = text(seq) .. ' ' .. meta[2] .. ' ' .. hash .. ' ' .. sent_at
redis.call('XADD', hot_key, text(seq) .. '-0', 'p', meta[2], 'i', id, 'w', weight, 'e', event)
redis.call('HSET', unstored_key, id, place .. ' ' .. text(now))
redis.call('SET', dedup_key, generation .. ' ' .. place .. ' ' .. attempt, 'PX', dedup_ttl)
if idle then
  redis.call('PERSIST', meta_key)
  redis.call('PERSIST', hot_key)
  redis.call('HSET', meta_key, 'seq', text(seq), 'bytes', text(bytes), 'idle', '0',
             'stored', text(seq - 1))
  redis.call('ZADD', waiting_key, text(now), room)
else
  redis.call('HSET', meta_key, 'seq', text(seq), 'bytes', text(bytes))
end
-- As IsFilling() in server/core/ports/room_directory.h.
local function filling(used, limit) return used > math.floor(tonumber(limit) / 4) * 3 end
local pause = (filling(bytes, room_limit) or filling(total, total_limit)) and 1 or 0
return {'placed', seq, prev, version, 0, 1, tonumber(sent_at), pause}
