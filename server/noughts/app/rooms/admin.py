"""What the operator sees of rooms, from the command line or on the admin page."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from noughts.app.delivery.routes import Row
from noughts.app.endpoints.admin_access import AdminAccess, newest_in
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.repository import UnreadableError, UnreadableRejection, readable
from noughts.app.rooms.on_node import RoomRegistry
from noughts.app.runtime.logs import shown
from noughts.errors import Rejection
from noughts.protocol.messages import GameView
from noughts.protocol.views import game_view
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Names, Seat, shown_name
from noughts.room.storage import room_from
from noughts.store.presence import RoomPresence, stored_attendance
from noughts.values import Value

MAX_LISTED: Final = 1_000


class RoomRow(Value):
    """One room in the admin list. Its game is only in a short list."""

    id: str
    variant: str
    phase: str
    visibility: str
    players: tuple[str, ...]
    ply: int
    connections: int
    used_ms: int
    game: GameView | None = None


class RoomRows(Value):
    """The newest rooms and how many there are in all, or the one room with an id."""

    rooms: tuple[RoomRow, ...]
    total: int
    now_ms: int


class RoomAdmin:
    """Lists rooms, and shows their chat."""

    def __init__(self, access: AdminAccess, parts: NodeParts, registry: RoomRegistry) -> None:
        self._access = access
        self._store = parts.backend.store
        self._mirror = parts.backend.presence
        self._names = parts.names
        self._registry = registry
        self._clock = parts.state.clock

    def rows(self) -> tuple[Row, ...]:
        """Return the operator's rows about rooms."""
        return (
            Row("GET", "/admin/rooms", self._list_rooms),
            Row("GET", "/admin/rooms/{id}/chat", self._show_chat),
        )

    async def _list_rooms(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        room_id = request.query.get("id")
        rooms = await self._newest_rooms(newest_in(request)) if room_id is None else await self._one_room(room_id)
        self._access.log_reading(request, "list rooms")
        return json_response(rooms)

    async def _newest_rooms(self, newest: int | None) -> RoomRows:
        rows: list[tuple[str, Room | None, RoomPresence | None]] = []
        for room_id, data, presence in await self._store.newest(newest or MAX_LISTED):
            try:
                rows.append((room_id, readable(room_from, data), presence))
            except UnreadableError:
                rows.append((room_id, None, presence))
        names = await self._names.in_rooms([room for _, room, _ in rows if room is not None])
        shown = [
            _unreadable(room_id) if room is None else self._row(room, names, presence, with_game=newest is not None)
            for room_id, room, presence in rows
        ]
        return RoomRows(tuple(shown), await self._store.count(), self._clock.now_ms())

    async def _one_room(self, room_id: str) -> RoomRows:
        """Return the room with an id, however old it is; no room if there is none."""
        try:
            actor = await self._registry.open(room_id)
        except UnreadableRejection:
            row = _unreadable(room_id)
        except Rejection as rejection:
            if rejection.code != "unknown_room":
                raise
            return RoomRows((), 0, self._clock.now_ms())
        else:
            row = self._row(actor.value, actor.connections.names, None, with_game=True)
        return RoomRows((row,), 1, self._clock.now_ms())

    def _row(self, room: Room, names: Names, stored: RoomPresence | None, *, with_game: bool) -> RoomRow:
        ply = room.game.history.ply if room.game is not None else 0
        seated = tuple([_name(seat, names) for seat in (room.seats.X, room.seats.O) if seat is not None])
        attendance = self._mirror.attendance(room.id) if stored is None else stored_attendance(stored)
        connections = attendance.connections
        game = game_view(room.game, room.playing) if with_game and room.game is not None else None
        return RoomRow(room.id, room.variant, room.phase, room.visibility, seated, ply, connections, room.used_ms, game)

    async def _show_chat(self, request: web.Request) -> web.Response:
        """Answer with the chat of a room, for the operator to look into a complaint."""
        await self._access.check(request)
        room_id = request.match_info["id"]
        stored = await self._store.load(room_id)
        if stored is None:
            raise Rejection("unknown_room", "There is no such room.")
        names = await self._store.names([line.player for line in stored.lines])
        lines = [
            {
                "at_ms": line.at_ms,
                "player": line.player,
                "name": names.get(line.player),
                "mark": line.mark,
                "text": line.text,
            }
            for line in stored.lines
        ]
        self._access.log(request, "read chat", shown(room_id))
        return json_response({"lines": lines})


def _unreadable(room_id: str) -> RoomRow:
    return RoomRow(room_id, "?", "unreadable", "?", (), 0, 0, 0)


def _name(seat: Seat, names: Names) -> str:
    return shown_name(seat, names) if isinstance(seat, HumanSeat) else f"engine:{seat.level}"
