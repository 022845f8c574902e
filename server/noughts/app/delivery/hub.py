"""Every WebSocket of this node: counted, pinged while silent, and closed from here."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher
from noughts.app.runtime.addresses import enclosing_networks, plain
from noughts.app.runtime.limits import PING_INTERVAL_S, SILENT_S, TIMED_PING_INTERVAL_S, networks_of
from noughts.protocol.close_codes import POLICY, RESTART, ROOM_CLOSED, UNAUTHORIZED
from noughts.room.seat import Person

LATE_S: Final = 1.0
"""If the check comes this much later than planned, no client counts as silent."""

LOOKED_AT: Final = 16
"""The most connections that are looked at in one turn of the event loop: each Ping takes 20 µs, and its answer as long."""
MAX_LOOKS: Final = 100
"""The most turns in one interval. With more connections than they take, each takes more."""

STOP_S: Final = 1.0
"""Seconds over which a server that stops closes its connections."""
STOP_PAUSE_S: Final = 0.002
"""The pause between two of them, or between two groups if there are many."""
LAST_END_S: Final = 0.5
"""Seconds that the last clients have to end their connections. The rest are dropped."""


class Hub:
    """The connections of this node."""

    def __init__(self) -> None:
        self.flusher = Flusher()
        self._connections: dict[Connection, None] = {}
        """In the order in which they came."""
        self._of_network: Counter[str] = Counter()
        self._of_player: Counter[str] = Counter()
        self.stopping = False
        """Whether the server is stopping. A new connection is then closed with a code that tells the client to reconnect."""

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: Connection) -> None:
        """Add a new connection."""
        self._connections[connection] = None
        self._of_network.update(enclosing_networks(connection.address))

    def remove(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._connections.pop(connection, None)
        for network in enclosing_networks(connection.address):
            _subtract(self._of_network, network)
        if connection.person is not None:
            _subtract(self._of_player, connection.person.player)

    def identify(self, connection: Connection, person: Person) -> None:
        """Set the player of a connection."""
        connection.person = person
        self._of_player[person.player] += 1

    def is_crowded(self, address: str, most: int) -> bool:
        """Return whether a network of an address has as many connections as it may have. An address may have ``most``."""
        return any(self._of_network[network] >= most * wider for network, wider in networks_of(address))

    def count_of_player(self, player: str) -> int:
        """Return how many connections a player has."""
        return self._of_player[player]

    def players(self) -> tuple[str, ...]:
        """Return the players that are connected."""
        return tuple(self._of_player)

    def tokens(self) -> tuple[bytes, ...]:
        """Return the hashes of the tokens that the connections gave."""
        hashes = {connection.token_hash for connection in self._connections}
        return tuple([token_hash for token_hash in hashes if token_hash is not None])

    def roster(self) -> list[tuple[Person, str, float]]:
        """Return the player, the address and the start, in monotonic seconds, of each connection of a player."""
        return [
            (connection.person, connection.address, connection.since_s)
            for connection in self._connections
            if connection.person is not None
        ]

    # --- silent clients -----------------------------------------------------------------------------------------

    async def watch_silence(self) -> None:
        """Look at each connection once in an interval, some at a time, as long as the server runs."""
        while True:
            groups = min(max(1, math.ceil(len(self._connections) / LOOKED_AT)), MAX_LOOKS)
            size = max(LOOKED_AT, math.ceil(len(self._connections) / groups))
            pause_s = TIMED_PING_INTERVAL_S / groups
            for start in range(0, groups * size, size):
                expected_s = time.monotonic() + pause_s
                await asyncio.sleep(pause_s)
                now_s = time.monotonic()
                # If the process stood still, what the clients sent has yet to be read.
                if now_s < expected_s + LATE_S:
                    self.ping_silent(tuple(islice(self._connections, start, start + size)), now_s)

    def ping_silent(self, connections: Sequence[Connection], now_s: float) -> None:
        """Ping the clients that have been silent for too long, and drop those that did not answer."""
        for connection in connections:
            silent_s = now_s - connection.received_s
            if silent_s > SILENT_S:
                connection.abort()
            elif silent_s >= PING_INTERVAL_S - TIMED_PING_INTERVAL_S / 2 or (
                connection.timed and connection.person is not None
            ):
                connection.ping(now_s)

    # --- closing ------------------------------------------------------------------------------------------------

    def close_room(self, connections: tuple[Connection, ...]) -> None:
        """Close the connections of a room that was closed, after the frames that this turn still sends them."""
        loop = asyncio.get_running_loop()
        for connection in connections:
            loop.call_soon(connection.close, ROOM_CLOSED, "the room is closed")

    def restart_room(self, connections: tuple[Connection, ...]) -> None:
        """Close a room's connections after the store lost changes, so that clients reload it."""
        for connection in connections:
            connection.close(RESTART, "the room was restored: come back")

    def close_some(self, parts: int) -> None:
        """Close one in ``parts`` connections, so that their clients reach another node a few at a time."""
        open_ones = [connection for connection in self._connections if connection.state == "open"]
        for connection in open_ones[: -(-len(open_ones) // parts)]:
            connection.close(RESTART, "this node cannot reach its store: come back")

    def close_banned(self, subject: str) -> None:
        """Close every connection of a banned address or player."""
        for connection in tuple(self._connections):
            if connection.address == plain(subject):
                connection.close(POLICY, "this address is banned")
            elif connection.person is not None and connection.person.player == subject:
                connection.close(POLICY, "this player is banned")

    def close_player(self, player: str) -> None:
        """Close every connection of a player whose guest account was deleted."""
        for connection in tuple(self._connections):
            if connection.person is not None and connection.person.player == player:
                connection.close(UNAUTHORIZED, "this token is unknown: get another")

    def close_token(self, token_hash: bytes) -> None:
        """Close every connection that gave a token which was deleted."""
        for connection in tuple(self._connections):
            if connection.token_hash == token_hash:
                connection.close(UNAUTHORIZED, "this token was deleted: get another")

    async def stop(self) -> None:
        """Close every connection: the server is restarting. Many are closed over a second, so clients return one by one."""
        self.stopping = True
        connections, loop = tuple(self._connections), asyncio.get_running_loop()
        size = math.ceil(len(connections) * STOP_PAUSE_S / STOP_S)
        next_s = loop.time()
        for start in range(0, len(connections), max(1, size)):
            for connection in connections[start : start + size]:
                connection.close(RESTART, "the server is restarting: come back")
            next_s += STOP_PAUSE_S
            await asyncio.sleep(max(0.0, next_s - loop.time()))
        if connections:
            await asyncio.wait([connection.ended for connection in connections], timeout=LAST_END_S)
        for connection in connections:
            if not connection.ended.done():
                connection.abort()


def _subtract(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
