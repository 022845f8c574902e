-- uses: clock, online, drop_node
-- Give back the lease of a node that ends: all its players leave now. ARGV: node.
if redis.call('HEXISTS', P .. 'nodes', ARGV[1]) == 1 then
  drop_node(ARGV[1], string.format('%.0f', now_ms()))
end
return 1
