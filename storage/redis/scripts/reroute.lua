-- KEYS: meta, routes. ARGV: generation, room; then session, route of each. Cold rooms too.
local generation, room = ARGV[1], ARGV[2]
for i = 3, #ARGV, 2 do add_route(KEYS[2], room, ARGV[i], ARGV[i + 1]) end
routes_changed(KEYS[1], generation)
return 1
