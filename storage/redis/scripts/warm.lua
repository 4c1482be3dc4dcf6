-- Opens a cold room: the caller asked Postgres, under the lease, for the highest seq of its rows.
-- KEYS: meta, hot, u, lease, minichat:gen, minichat:hotbytes, minichat:unstored.
-- ARGV: generation, room, token, that seq, "1": recently used, route version, room TTL in ms.
local meta_key, hot_key, unstored_key, lease_key, mark_key, total_key, waiting_key = unpack(KEYS)
local generation, room, token, max_seq, used, version, room_ttl = unpack(ARGV)
if redis.call('HGET', mark_key, 'n') ~= generation then return 'generation' end
if redis.call('GET', lease_key) ~= token then return 'lease' end
if is_warm(meta_key, generation) then return 'done' end

-- Leftovers of another generation are overwritten, never merged. The routes stay.
local old = redis.call('HMGET', meta_key, 'bytes', 'idle')
if old[2] == '0' then redis.call('DECRBY', total_key, old[1]) end
redis.call('ZREM', waiting_key, room)
redis.call('UNLINK', meta_key, hot_key, unstored_key)

redis.call('HSET', meta_key, 'gen', generation, 'seq', max_seq, 'ver', version, 'stored', max_seq,
           'bytes', '0', 'idle', '1', 'used', used)
redis.call('PEXPIRE', meta_key, room_ttl)
redis.call('DEL', lease_key)
return 'done'
