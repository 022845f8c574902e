"""The parts of a node that are about the lobby, made and wired once."""

from __future__ import annotations

from noughts.app.delivery.connection import Connection
from noughts.app.lobby.door import LobbyDoor
from noughts.app.lobby.endpoints import LobbyEndpoints
from noughts.app.lobby.feed import LOBBY, LobbyFeed
from noughts.app.lobby.matchmaking import Matchmaking
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.rooms.parts import Rooms
from noughts.errors import Rejection


class Lobby(Wing):
    """Everything about the lobby, which is a wing without a machine."""

    kind = LOBBY

    def __init__(self, parts: NodeParts, rooms: Rooms, heartbeat: Heartbeat) -> None:
        self.feed = LobbyFeed(parts, rooms, heartbeat)
        self.matchmaking = Matchmaking(parts, rooms)
        self._offered = parts.config.lobby
        self.work = (self.feed.send_changes,)
        self.rows = LobbyEndpoints(parts, rooms.policy, self.feed, self.matchmaking).rows()

    async def enter(self, id: str, connection: Connection, page: str) -> LobbyDoor:
        """Let a client in to the lobby. Raise ``not_found`` where it is switched off, and ``unavailable``."""
        if not self._offered:
            raise Rejection("not_found", "This server has no lobby.")
        await self.feed.join(connection, page)
        return LobbyDoor(self.feed, connection)
