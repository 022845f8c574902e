"""The commands that a node needs, as calls that show whether Redis's user may run them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CALLS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "TIME": (),
        "PUBLISH": ("K", "x"),
        "GET": ("K",),
        "INCR": ("K",),
        "PEXPIRE": ("K", "10000"),
        "HDEL": ("K", "x"),
        "HEXISTS": ("K", "x"),
        "HGET": ("K", "x"),
        "HGETALL": ("K",),
        "HINCRBY": ("K", "x", "1"),
        "HKEYS": ("K",),
        "HLEN": ("K",),
        "HMGET": ("K", "x"),
        "HSET": ("K", "x", "x"),
        "HSETNX": ("K", "x", "x"),
        "HVALS": ("K",),
        "LRANGE": ("K", "0", "0"),
        "LTRIM": ("K", "0", "0"),
        "RPUSH": ("K", "x"),
        "SADD": ("K", "x"),
        "SMEMBERS": ("K",),
        "SREM": ("K", "x"),
        "ZADD": ("K", "1", "x"),
        "ZCARD": ("K",),
        "ZRANGE": ("K", "0", "0"),
        "ZRANGEBYSCORE": ("K", "0", "0"),
        "ZREM": ("K", "x"),
        "ZREVRANGE": ("K", "0", "0"),
        "ZSCORE": ("K", "x"),
    }
)
"""Command -> its words, where ``K`` is a key with a text. ``rights.lua`` tries SET, EXISTS and DEL by itself."""
