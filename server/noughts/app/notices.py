"""Sends crowds and the lobby when they are due, and acts on what other nodes announce."""

from __future__ import annotations

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.players.bans import Bans
from noughts.app.players.guests import Guests
from noughts.app.players.renaming import Renaming
from noughts.app.rooms.deadlines import Deadlines
from noughts.app.rooms.publisher import LOBBY, LOBBY_LAPSE
from noughts.app.rooms.registry import RoomRegistry
from noughts.room.seat import Person
from noughts.store.relay import Notice, Relay

log = structlog.get_logger()


class NoticeBoard:
    """Sends crowds and the lobby, and acts on messages from other nodes. Each has a task."""

    def __init__(
        self,
        deadlines: Deadlines,
        registry: RoomRegistry,
        lobby: LobbyFeed,
        renaming: Renaming,
        guests: Guests,
        bans: Bans,
        hub: Hub,
        relay: Relay,
    ) -> None:
        self._deadlines = deadlines
        self._registry = registry
        self._lobby = lobby
        self._renaming = renaming
        self._guests = guests
        self._bans = bans
        self._hub = hub
        self._relay = relay

    async def send_scheduled(self) -> None:
        """Send each crowd, and the lobby, when it is due, until cancelled."""
        while True:
            for key in await self._deadlines.reached():
                try:
                    if key in (LOBBY, LOBBY_LAPSE):
                        await self._lobby.send()
                    else:
                        actor = self._registry.held(key)
                        if actor is not None:
                            actor.send_crowd()
                except Exception:
                    log.exception("the crowd or the lobby was not sent", about=key)

    async def hear_other_nodes(self) -> None:
        """Act on changes and notices from other nodes, in their order, until cancelled."""
        while True:
            message = await self._relay.received()
            try:
                if isinstance(message, Notice):
                    await self._act_on(message)
                else:
                    self._registry.changed_elsewhere(message)
            except Exception:
                log.exception("a message from another node failed")

    async def _act_on(self, notice: Notice) -> None:
        if notice.what in ("renamed", "deleted"):
            self._guests.forget_cached(notice.subject)
            self._renaming.show(Person(notice.subject, notice.text))
            if notice.what == "deleted":
                await self._hub.close_player(notice.subject)
        else:
            await self._bans.read()
            if notice.what == "banned":
                await self._hub.close_address(notice.subject)
