"""Rooms on this node: actors, their registry, what happens after a commit, and what wakes them."""
