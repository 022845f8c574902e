-- uses: online
-- Give back the lease of a node that ends. ARGV: node.
redis.call('HDEL', P .. 'nodes', ARGV[1])
redis.call('HDEL', P .. 'statuses', ARGV[1])
clear_online(ARGV[1])
return 1
