"""The life of one node: its beats, its outages, and what other nodes tell it."""
