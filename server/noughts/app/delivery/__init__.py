"""Connections and what is sent to them."""
