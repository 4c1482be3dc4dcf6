-- KEYS: minichat:relay. ARGV: the mode for all nodes; empty: each node's own config counts.
redis.call('HSET', KEYS[1], 'mode', ARGV[1])
return {redis.call('HINCRBY', KEYS[1], 'version', 1), ARGV[1]}
