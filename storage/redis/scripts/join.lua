-- KEYS: meta, routes. ARGV: generation, room, session, route. The head and the route in one: a
-- commit is either before (at or below the head) or sees the route.
local generation, room, session, route = unpack(ARGV)
if not is_warm(KEYS[1], generation) then return {'cold'} end
add_route(KEYS[2], room, session, route)
local version = redis.call('HINCRBY', KEYS[1], 'ver', 1)
return {'joined', tonumber(redis.call('HGET', KEYS[1], 'seq')), version}
