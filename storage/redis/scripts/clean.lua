-- KEYS: nodes, minichat:gen. ARGV: generation. Removes the routes of incarnations that have no live
-- entry. Bounded: what is left over is the next call's. Whoever still lives in another generation
-- knows nothing of who is alive in this one.
local generation = ARGV[1]
if redis.call('HGET', KEYS[2], 'n') ~= generation then return 0 end
local rooms_left, routes_left = 200, 5000
local known = {}

local function is_live(node)
  if known[node] == nil then
    local name, incarnation = string.match(node, '^(%S+) (.+)$')
    local entry = redis.call('HMGET', 'node:' .. name, 'gen', 'inc')
    known[node] = entry[1] == generation and entry[2] == incarnation
  end
  return known[node]
end

local function clean_room(room)
  local routes_key = key_of(room, 'routes')
  local routes = redis.call('HGETALL', routes_key)
  local removed = false
  for i = 1, #routes, 2 do
    if not is_live(string.match(routes[i + 1], '^%S+ (.+)$')) then
      remove_route(routes_key, room, routes[i], routes[i + 1])
      removed = true
    end
  end
  if removed then routes_changed(key_of(room, 'm'), generation) end
  routes_left = routes_left - #routes / 2
end

for _, node in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if not is_live(node) then
    local rooms_key = 'noderooms:' .. node
    for _, room in ipairs(redis.call('HKEYS', rooms_key)) do
      if rooms_left <= 0 or routes_left <= 0 then return 0 end
      rooms_left = rooms_left - 1
      clean_room(room)
      redis.call('HDEL', rooms_key, room)
    end
    redis.call('SREM', KEYS[1], node)
  end
end
return 1
