"""The store of several nodes as one object, and the backend of one of them."""

from __future__ import annotations

from noughts.store.address import RedisAddress
from noughts.store.backend import Backend
from noughts.store.presence import PresenceMirror
from noughts.store.redis.coordination import RedisCoordination
from noughts.store.redis.link import RedisLink
from noughts.store.redis.machines import RedisMachines
from noughts.store.redis.node import RedisNode
from noughts.store.redis.players import RedisPlayers
from noughts.store.redis.relay import RedisRelay


class RedisStore(RedisMachines, RedisPlayers, RedisNode):
    """A :class:`~noughts.store.contract.Store` that many nodes share."""

    def __init__(self, link: RedisLink) -> None:
        RedisMachines.__init__(self, link)
        RedisPlayers.__init__(self, link)
        RedisNode.__init__(self, link)

    def machines(self, kind: str) -> RedisMachines:
        return RedisMachines(self._link, kind)


def redis_backend(address: RedisAddress, node: str, prefix: str = "noughts", replicas: int = 0) -> Backend:
    """Return the backend of a node. ``node`` is the id of this process. Raise ValueError for an invalid prefix."""
    return linked_backend(RedisLink(address, node, prefix, replicas))


def linked_backend(link: RedisLink) -> Backend:
    """Return the backend of a node over its link."""
    relay = RedisRelay(link)
    return Backend(RedisStore(link), PresenceMirror(link.node, relay), relay, RedisCoordination(link))
