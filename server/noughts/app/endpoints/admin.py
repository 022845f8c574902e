"""What the operator does, from the command line or on the admin page: list, close, ban, rename, delete."""

from __future__ import annotations

import ipaddress
import json
from contextlib import suppress
from typing import Final

from aiohttp import web

from noughts.app.delivery.hub import Hub
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.requests import ADDRESS, body_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.repository import UnreadableError, UnreadableRejection, readable
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.players.bans import Bans
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.runtime.admin_secret import BACKUP_FILE
from noughts.app.runtime.config import Config
from noughts.app.runtime.logs import shown
from noughts.app.tournaments.parts import Tournaments
from noughts.errors import Rejection
from noughts.protocol.bodies import Rename
from noughts.protocol.messages import GameView
from noughts.protocol.views import game_view
from noughts.room.commands import Discard as DiscardRoom
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Seat
from noughts.room.storage import room_from
from noughts.store.contract import Store
from noughts.store.presence import PresenceMirror, RoomPresence, stored_attendance
from noughts.tournament.commands import Recount
from noughts.values import Value

MAX_LISTED: Final = 1_000
RECOUNTS: Final = 20
"""How often the standings of a tournament that changes meanwhile are counted."""
PLAYER_PREFIX: Final = "p_"
MAX_NEWEST: Final = 100
"""The most rooms that are listed with their games, and the most players that the page lists."""
MAX_SUBJECT: Final = 40
"""The longest id of a player that can be banned."""


class BanBody(Value):
    """An address or a player to ban, or to let in again with ``banned`` false."""

    address: str
    banned: bool = True


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


class AdminEndpoints:
    """The endpoints under ``/admin/``."""

    def __init__(
        self,
        config: Config,
        access: AdminAccess,
        store: Store,
        mirror: PresenceMirror,
        registry: RoomRegistry,
        heartbeat: Heartbeat,
        bans: Bans,
        hub: Hub,
        tournaments: Tournaments,
        accounts: PlayerEndpoints,
        roll_call: RollCall,
    ) -> None:
        self._config = config
        self._access = access
        self._store = store
        self._mirror = mirror
        self._registry = registry
        self._heartbeat = heartbeat
        self._bans = bans
        self._hub = hub
        self._tournaments = tournaments
        self._accounts = accounts
        self._roll_call = roll_call

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the endpoints."""
        router.add_get("/admin/rooms", self._list_rooms, allow_head=False)
        router.add_post("/admin/rooms/{id}/close", self._close_room)
        router.add_post("/admin/tournaments/{id}/recount", self._recount)
        router.add_get("/admin/rooms/{id}/chat", self._show_chat, allow_head=False)
        router.add_get("/admin/players", self._list_players, allow_head=False)
        router.add_post("/admin/players/{id}/rename", self._rename)
        router.add_post("/admin/players/{id}/forget", self._forget)
        router.add_get("/admin/nodes", self._list_nodes, allow_head=False)
        router.add_get("/admin/bans", self._list_bans, allow_head=False)
        router.add_post("/admin/bans", self._ban)
        router.add_get("/admin/backup", self._show_backup, allow_head=False)
        self._access.add_to(router)

    # --- rooms ----------------------------------------------------------------------------------------------------

    async def _list_rooms(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        room_id = request.query.get("id")
        rooms = await self._newest_rooms(_newest_in(request)) if room_id is None else await self._one_room(room_id)
        self._access.log_reading(request, "list rooms")
        return json_response(rooms)

    async def _newest_rooms(self, newest: int | None) -> RoomRows:
        rows = []
        for room_id, data, presence in await self._store.newest(newest or MAX_LISTED):
            try:
                rows.append(self._row(readable(room_from, data), presence, with_game=newest is not None))
            except UnreadableError:
                rows.append(_unreadable(room_id))
        return RoomRows(tuple(rows), await self._store.count())

    async def _one_room(self, room_id: str) -> RoomRows:
        """Return the room with an id, however old it is; no room if there is none."""
        try:
            actor = await self._registry.open(room_id)
        except UnreadableRejection:
            row = _unreadable(room_id)
        except Rejection as rejection:
            if rejection.code != "unknown_room":
                raise
            return RoomRows((), 0)
        else:
            row = self._row(actor.value, None, with_game=True)
        return RoomRows((row,), 1)

    def _row(self, room: Room, stored: RoomPresence | None, *, with_game: bool) -> RoomRow:
        ply = room.game.history.ply if room.game is not None else 0
        names = tuple([_name(seat) for seat in (room.seats.X, room.seats.O) if seat is not None])
        attendance = self._mirror.attendance(room.id) if stored is None else stored_attendance(stored)
        connections = attendance.connections
        game = game_view(room.game, room.playing) if with_game and room.game is not None else None
        return RoomRow(room.id, room.variant, room.phase, room.visibility, names, ply, connections, room.used_ms, game)

    async def _close_room(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        room_id = request.match_info["id"]
        try:
            actor = await self._registry.open(room_id)
        except UnreadableRejection:
            await self._registry.remove(room_id)
        except Rejection as rejection:
            if rejection.code != "unknown_room":
                raise
            await self._close_tournament(room_id, rejection)
        else:
            await actor.tell(DiscardRoom())
        self._access.log(request, "close room", shown(room_id))
        return json_response({"closed": room_id})

    async def _close_tournament(self, id: str, no_room: Rejection) -> None:
        """Delete a tournament with the rooms of its matches. Raise the rejection for a room if there is none either."""
        registry = self._tournaments.registry
        try:
            actor = await registry.open(id)
        except UnreadableRejection:
            await registry.remove(id)
        except Rejection as rejection:
            raise no_room if rejection.code == "unknown_tournament" else rejection from None
        else:
            await self._tournaments.keeper.delete(actor)

    async def _recount(self, request: web.Request) -> web.Response:
        """Count the standings of a tournament again from its stored matches."""
        await self._access.check(request)
        id = request.match_info["id"]
        for _ in range(RECOUNTS):
            actor = await self._tournaments.registry.open(id)
            value = actor.value
            matches = await self._tournaments.records.all_matches(value)
            finished = tuple([match for match in matches if match.state != "playing"])
            try:
                version = await actor.tell(Recount(value.version, finished))
            except Rejection as rejection:
                if rejection.code != "stale":
                    raise
            else:
                self._access.log(request, "recount tournament", id)
                return json_response({"matches": len(finished), "changed": version != value.version})
        raise Rejection("unavailable", "The tournament changes too often: try again between two rounds.")

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

    # --- players --------------------------------------------------------------------------------------------------

    async def _list_players(self, request: web.Request) -> web.Response:
        """Answer with the players who are connected to any node, and what limits rejected in the last hour."""
        await self._access.check(request)
        roster = await self._roll_call.ask()
        self._access.log_reading(request, "list players")
        players = roster.players[: _newest_in(request)]
        bites = [bite._asdict() for bite in roster.bites]
        return json_response({"players": players, "total": len(roster.players), "limits": bites})

    async def _rename(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        body = await body_of(request, Rename)
        player = request.match_info["id"]
        person = await self._accounts.rename_by_operator(player, body.name)
        self._access.log(request, "rename player", player)
        return json_response({"player": player, "name": person.name})

    async def _forget(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        player = request.match_info["id"]
        await self._accounts.forget_by_operator(player)
        self._access.log(request, "delete player", player)
        return json_response({"deleted": player})

    # --- nodes, bans, backups -------------------------------------------------------------------------------------

    async def _list_nodes(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        own = self._heartbeat.status()
        others = [status for status in self._heartbeat.nodes if status.node != own.node]
        self._access.log_reading(request, "list nodes")
        return json_response({"nodes": [status._asdict() for status in (own, *others)]})

    async def _list_bans(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        self._access.log_reading(request, "list bans")
        address: str = request[ADDRESS]
        return json_response({"banned": self._bans.listed(), "address": address})

    async def _ban(self, request: web.Request) -> web.Response:
        await self._access.check(request)
        body = await body_of(request, BanBody)
        subject = body.address.strip()
        if not (subject.startswith(PLAYER_PREFIX) and subject.isprintable() and len(subject) <= MAX_SUBJECT):
            try:
                subject = str(ipaddress.ip_address(subject))
            except ValueError:
                message = "Name one address, such as 203.0.113.9 or 2001:db8::9, or a player's id, such as p_Xk29."
                raise Rejection("bad_message", message) from None
        if body.banned:
            if subject.startswith(PLAYER_PREFIX):
                await self._accounts.check_exists(subject)
            await self._bans.ban(subject)
            self._hub.close_banned(subject)
        else:
            await self._bans.lift(subject)
        self._access.log(request, "ban" if body.banned else "lift ban", subject)
        return json_response({"banned": self._bans.listed()})

    async def _show_backup(self, request: web.Request) -> web.Response:
        """Answer with the newest backup that a command made from this data directory."""
        await self._access.check(request)
        at_ms = None
        with suppress(OSError, ValueError, KeyError, TypeError):
            at_ms = int(json.loads((self._config.data / BACKUP_FILE).read_text())["at_ms"])
        return json_response({"at_ms": at_ms})


def _newest_in(request: web.Request) -> int | None:
    """Return how many of the newest the caller wants; None for all. Raise ``bad_message``."""
    text = request.query.get("newest")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:4]) <= MAX_NEWEST):
        raise Rejection("bad_message", f"newest is a number from 1 to {MAX_NEWEST}.")
    return int(text)


def _unreadable(room_id: str) -> RoomRow:
    return RoomRow(room_id, "?", "unreadable", "?", (), 0, 0, 0)


def _name(seat: Seat) -> str:
    return seat.name if isinstance(seat, HumanSeat) else f"engine:{seat.level}"
