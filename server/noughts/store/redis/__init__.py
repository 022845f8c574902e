"""The store for many nodes: Redis or Valkey, over one connection for each node."""
