-- KEYS: node:NAME. ARGV: incarnation. Removes the entry if it is still this incarnation's.
if redis.call('HGET', KEYS[1], 'inc') == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
