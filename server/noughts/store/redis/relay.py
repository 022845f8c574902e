"""The relay of one node: it sends notices to all nodes, and reports of presence. The store's scripts publish the rest."""

from __future__ import annotations

from noughts.store.kinds import ROOM
from noughts.store.presence import PresenceReport
from noughts.store.redis.change_feed import notice_message
from noughts.store.redis.encoding import report_words
from noughts.store.redis.link import RedisLink
from noughts.store.redis.pipeline import ignore
from noughts.store.redis.scripts import row_prefix
from noughts.store.relay import Message, Notice


class RedisRelay:
    """A :class:`~noughts.store.relay.Relay` and a :class:`~noughts.store.presence.PresenceSender`."""

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
