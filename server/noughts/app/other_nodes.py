"""Sends crowds and the lobby when they are due, and acts on what other nodes announce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import structlog

from noughts.app.delivery.hub import Hub
from noughts.app.lobby.feed import LOBBY, LobbyFeed
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.registry import Registry
from noughts.app.node.roll_call import RollCall
from noughts.app.players.bans import Bans
from noughts.app.players.guests import Guests
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.rooms.renaming import Renaming
from noughts.app.runtime.tasks import Tasks
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError
from noughts.store.kinds import ROOM
from noughts.store.machine_store import Change
from noughts.store.presence import PresenceMirror, PresenceReport
from noughts.store.relay import NodeDied, Notice, Reconnected, Relay

log = structlog.get_logger()


class OtherNodes:
    """Sends crowds and the lobby, and acts on messages from other nodes. Each has a task."""

    def __init__(
        self,
        deadlines: Deadlines,
        registries: Mapping[str, Registry[Any]],
        mirror: PresenceMirror,
        lobby: LobbyFeed,
        renaming: Renaming,
        guests: Guests,
        bans: Bans,
        hub: Hub,
        relay: Relay,
        tasks: Tasks,
        roll_call: RollCall | None = None,
    ) -> None:
        self._deadlines = deadlines
        self._registries = registries
        """The registry of each kind."""
        self._rooms: RoomRegistry = registries[ROOM]
        self._mirror = mirror
        self._lobby = lobby
        self._renaming = renaming
        self._guests = guests
        self._bans = bans
        self._hub = hub
        self._relay = relay
        self._tasks = tasks
        self._roll_call = roll_call

    async def send_scheduled(self) -> None:
        """Send each crowd, and the lobby, when it is due, until cancelled."""
        while True:
            for key in await self._deadlines.reached():
                try:
                    if key == LOBBY:
                        await self._lobby.send()
                    else:
                        actor = self._rooms.held(key)
                        if actor is not None:
                            actor.visitors.send_crowd(actor.room)
                except Exception:
                    log.exception("the crowd or the lobby was not sent", about=key)

    async def hear_other_nodes(self) -> None:
        """Act on messages from other nodes, in their order, until cancelled.

        Changes and presence are acted on before the next message is waited for, and so before later answers of the store.
        """
        while True:
            message = await self._relay.received()
            try:
                if isinstance(message, Change):
                    self._registries[message.kind].changed_elsewhere(message)
                elif isinstance(message, PresenceReport):
                    self._mirror.received(message)
                    self._presence_changed([message.room])
                elif isinstance(message, NodeDied):
                    self._presence_changed(self._mirror.node_died(message.node, message.end_ms))
                elif isinstance(message, Reconnected):
                    for registry in self._registries.values():
                        registry.read_again()
                    self._tasks.run(self._catch_up())
                elif message.kind in ("roll call", "roster"):
                    if self._roll_call is not None:
                        self._roll_call.receive(message)
                else:
                    self._tasks.run(self._act_on(message))
            except Exception:
                log.exception("a message from another node failed")

    def _presence_changed(self, room_ids: Iterable[str]) -> None:
        for room_id in room_ids:
            actor = self._rooms.held(room_id)
            if actor is not None:
                actor.presence_changed()

    async def _catch_up(self) -> None:
        """Learn of the deleted guests and tokens and the bans whose notices may have been lost."""
        self._guests.forget_all_cached()
        try:
            await self._bans.read()
            deleted = await self._guests.deleted(self._hub.players())
            void = await self._guests.void_tokens(self._hub.tokens())
        except StoreUnavailableError:
            return  # the connection is lost again, and another Reconnected follows
        for player in deleted:
            self._hub.close_player(player)
        for token_hash in void:
            self._hub.close_token(token_hash)
        for address in self._bans.listed():
            self._hub.close_banned(address)

    async def _act_on(self, notice: Notice) -> None:
        if notice.kind in ("renamed", "deleted"):
            self._guests.forget_cached(notice.subject)
            await self._renaming.show(Person(notice.subject, notice.text))
            if notice.kind == "deleted":
                self._hub.close_player(notice.subject)
        elif notice.kind == "token_deleted":
            self._guests.forget_cached(notice.subject)
            self._hub.close_token(bytes.fromhex(notice.text))
        else:
            await self._bans.read()
            if notice.kind == "banned":
                self._hub.close_banned(notice.subject)
