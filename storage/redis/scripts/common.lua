-- Stands before every script. A script is one atomic method of core::RoomDirectory.
--
-- {r:R}:m       gen, seq (head), ver (of the routes), stored (all up to here has rows), bytes (of
--               the window), idle ("1": all has rows, the keys have a TTL, the bytes are given
--               back), used ("1": its misses are looked up while the generation is young)
-- {r:R}:hot     stream, ids SEQ-0: p (prev), i (id), w (weight), e (the message)
-- {r:R}:u       id -> "seq prev hash sent_at placed_at": has a place and no row
-- {r:R}:d:ID    "gen seq prev hash sent_at attempt", with a TTL
-- {r:R}:routes  session -> "user node incarnation"; {r:R}:l the lease for warming
-- nodes         "node incarnation" of all that have an entry or routes
-- node:NAME     inc, gen, relay, at (last beat); noderooms:NAME INCARNATION  room -> its routes

-- By the server's clock.
local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Lua's own conversion keeps 14 digits; a seq has up to 16.
local function text(number)
  return string.format('%.0f', number)
end

local function key_of(room, name)
  return '{r:' .. room .. '}:' .. name
end

local function is_warm(meta_key, generation)
  return redis.call('HGET', meta_key, 'gen') == generation
end

local function routes_changed(meta_key, generation)
  if is_warm(meta_key, generation) then redis.call('HINCRBY', meta_key, 'ver', 1) end
end

-- Counts, per incarnation, how many routes each room has: the janitor's way to them.
local function count_route(room, route, by)
  local node = string.match(route, '^%S+ (.+)$')
  local rooms_key = 'noderooms:' .. node
  local count = redis.call('HINCRBY', rooms_key, room, by)
  if count <= 0 then
    redis.call('HDEL', rooms_key, room)
  elseif count == 1 then
    redis.call('SADD', 'nodes', node)
  end
end

local function add_route(routes_key, room, session, route)
  local before = redis.call('HGET', routes_key, session)
  if before == route then return end
  if before then count_route(room, before, -1) end
  redis.call('HSET', routes_key, session, route)
  count_route(room, route, 1)
end

local function remove_route(routes_key, room, session, route)
  redis.call('HDEL', routes_key, session)
  count_route(room, route, -1)
end

-- When (id, seq) got its place; nil when it has a row.
local function placed_at(unstored_key, id, seq)
  local entry = redis.call('HGET', unstored_key, id)
  if not entry then return nil end
  local of, at = string.match(entry, '^(%d+) .* (%d+)$')
  return of == text(seq) and tonumber(at) or nil
end

local function seq_of(entry)
  return tonumber(string.match(entry[1], '^%d+'))
end
