"""The store of several nodes as one object, and the backend of one of them."""

from __future__ import annotations

from noughts.store.address import RedisAddress
from noughts.store.backend import Backend
from noughts.store.kinds import ROOM
from noughts.store.presence import PresenceMirror, PresenceReport
from noughts.store.redis.change_feed import notice_message
from noughts.store.redis.connection import ignore
from noughts.store.redis.coordination import RedisCoordination
from noughts.store.redis.encoding import report_words
from noughts.store.redis.link import RedisLink
from noughts.store.redis.machines import RedisMachines
from noughts.store.redis.node import RedisNode
from noughts.store.redis.players import RedisPlayers
from noughts.store.redis.scripts import row_prefix
from noughts.store.relay import Message, Notice


class RedisStore(RedisMachines, RedisPlayers, RedisNode):
    """A :class:`~noughts.store.contract.Store` that many nodes share."""

    def __init__(self, link: RedisLink) -> None:
        RedisMachines.__init__(self, link)
        RedisPlayers.__init__(self, link)
        RedisNode.__init__(self, link)

    def machines(self, kind: str) -> RedisMachines:
        return RedisMachines(self._link, kind)


class RedisRelay:
    """A :class:`~noughts.store.relay.Relay` and a :class:`~noughts.store.presence.PresenceSender`.

    It sends notices to all nodes, and reports of presence. The store's scripts publish the rest.
    """

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._report = link.script("report")

    def announce(self, notice: Notice) -> None:
        message = notice_message(self._link.node, notice)
        self._link.connection.ask(ignore, "PUBLISH", f"{self._link.prefix}all", message)

    async def received(self) -> Message:
        return await self._link.changes.received()

    def send(self, report: PresenceReport) -> None:
        key = row_prefix(self._link.prefix, ROOM) + report.room
        self._link.connection.run(ignore, self._report, key, *report_words(report))


def redis_backend(address: RedisAddress, node: str, prefix: str = "noughts") -> Backend:
    """Return the backend of a node. ``node`` is the id of this process. Raise ValueError for an invalid prefix."""
    return linked_backend(RedisLink(address, node, prefix))


def linked_backend(link: RedisLink) -> Backend:
    """Return the backend of a node over its link."""
    relay = RedisRelay(link)
    return Backend(RedisStore(link), PresenceMirror(link.node, relay), relay, RedisCoordination(link))
