-- KEYS: meta, routes. ARGV: generation, room, session, node.
local generation, room, session, node = unpack(ARGV)
local route = redis.call('HGET', KEYS[2], session)
if not route or string.match(route, '^%S+ (%S+) ') ~= node then return 0 end
remove_route(KEYS[2], room, session, route)
routes_changed(KEYS[1], generation)
return 1
