"""The backend of one node of several."""

from __future__ import annotations

from noughts.store.address import RedisAddress
from noughts.store.backend import Backend
from noughts.store.presence import PresenceMirror
from noughts.store.redis.coordination import RedisCoordination
from noughts.store.redis.link import RedisLink
from noughts.store.redis.relay import RedisPresenceSender, RedisRelay
from noughts.store.redis.store import RedisStore


def redis_backend(address: RedisAddress, node: str, prefix: str = "noughts", replicas: int = 0) -> Backend:
    """Return the backend of a node. ``node`` is the id of this process. Raise ValueError for an invalid prefix."""
    return linked_backend(RedisLink(address, node, prefix, replicas))


def linked_backend(link: RedisLink) -> Backend:
    """Return the backend of a node over its link."""
    presence = PresenceMirror(link.node, RedisPresenceSender(link))
    return Backend(RedisStore(link), presence, RedisRelay(link), RedisCoordination(link))
