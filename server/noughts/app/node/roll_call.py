"""Asks every node which players are connected to it, when the operator wants to know."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import suppress
from typing import Final

import msgspec
from msgspec.structs import replace

from noughts.app.delivery.hub import Hub
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.players.names import NameLookup
from noughts.app.runtime.limits import Bite, Bites, combined
from noughts.store.relay import Notice, Relay
from noughts.values import Value

ANSWER_S: Final = 1.0
"""Seconds that the other nodes have to answer."""
MAX_OF_NODE: Final = 1_000
"""The most connections that one node names: the newest."""


class Guest(Value):
    """A connection of a player: since when, from which address, to which node. The asking node looks up the name."""

    player: str
    bot: bool
    address: str
    node: str
    seconds: int
    name: str = ""


class Roster(Value):
    """The connections of players to some nodes, and what limits and bans rejected there in the last hour."""

    players: tuple[Guest, ...] = ()
    bites: tuple[Bite, ...] = ()


class _Call:
    """A roll call that this node has begun."""

    def __init__(self, own: Roster, missing: int) -> None:
        self.rosters = [own]
        self.missing = missing
        self.complete = asyncio.Event()


class RollCall:
    """This node's part of a roll call, and those that it has begun."""

    def __init__(
        self, node_name: str, hub: Hub, names: NameLookup, relay: Relay, heartbeat: Heartbeat, bites: Bites
    ) -> None:
        self._node_name = node_name
        self._hub = hub
        self._names = names
        self._relay = relay
        self._heartbeat = heartbeat
        self._bites = bites
        self._calls: dict[str, _Call] = {}

    async def ask(self) -> Roster:
        """Return what all nodes answer that answer in time, with the players first who came last."""
        id, own = secrets.token_hex(8), self._heartbeat.status().node
        call = self._calls[id] = _Call(self._own(), len([node for node in self._heartbeat.nodes if node.node != own]))
        try:
            if call.missing:
                self._relay.announce(Notice("roll call", id))
                with suppress(TimeoutError):  # a node that does not answer is stopping or overloaded
                    async with asyncio.timeout(ANSWER_S):
                        await call.complete.wait()
        finally:
            del self._calls[id]
        players = sorted(
            [guest for roster in call.rosters for guest in roster.players], key=lambda guest: guest.seconds
        )
        names = await self._names.of([guest.player for guest in players])
        players = [replace(guest, name=names[guest.player]) for guest in players]
        return Roster(tuple(players), tuple(combined([bite for roster in call.rosters for bite in roster.bites])))

    def receive(self, notice: Notice) -> None:
        """Answer a roll call of another node, or take its answer to one of this node."""
        call = self._calls.get(notice.subject)
        if notice.kind == "roll call":
            text = msgspec.json.encode(self._own()).decode()
            self._relay.announce(Notice("roster", notice.subject, text))
        elif call is not None:
            call.rosters.append(msgspec.json.decode(notice.text, type=Roster))
            call.missing -= 1
            if call.missing <= 0:
                call.complete.set()

    def _own(self) -> Roster:
        now_s = time.monotonic()
        guests = [
            Guest(person.player, person.bot, address, self._node_name, round(now_s - since_s))
            for person, address, since_s in self._hub.roster()
        ]
        guests.sort(key=lambda guest: guest.seconds)
        return Roster(tuple(guests[:MAX_OF_NODE]), tuple(self._bites.of_last_hour()))
