"""The Redis store as one object."""

from __future__ import annotations

from noughts.store.redis.link import RedisLink
from noughts.store.redis.machines import RedisMachines
from noughts.store.redis.node import RedisNode
from noughts.store.redis.players import RedisBans, RedisPlayers


class RedisStore(RedisMachines, RedisPlayers, RedisBans, RedisNode):
    """A :class:`~noughts.store.contract.Store` that many nodes share."""

    def __init__(self, link: RedisLink) -> None:
        RedisMachines.__init__(self, link)
        RedisPlayers.__init__(self, link)
        RedisBans.__init__(self, link)
        RedisNode.__init__(self, link)

    def machines(self, kind: str) -> RedisMachines:
        return RedisMachines(self._link, kind)
