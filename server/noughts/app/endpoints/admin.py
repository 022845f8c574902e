"""What the operator does, from the command line or in a session: list, close, ban, rename, delete.

A caller shows the secret of the data directory, or a session that was given for a code. For anybody else there is nothing
here: the middleware answers every call under ``/admin/`` with 404.
"""

from __future__ import annotations

import ipaddress
import json
import time
from contextlib import suppress
from typing import Final

import structlog
from aiohttp import web

from noughts.app.delivery.hub import Hub
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.requests import (
    ADDRESS,
    OPERATOR,
    body_of,
    network_of,
    nothing_here,
    token_of,
)
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.repository import UnreadableError, UnreadableRejection, readable
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.players.bans import Bans
from noughts.app.players.passes import Passes
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.runtime.admin_secret import BACKUP_FILE, AdminSecret
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import REQUESTS, RESUME, Limits
from noughts.app.tournaments.parts import Tournaments
from noughts.errors import Rejection
from noughts.protocol.bodies import Rename
from noughts.room.commands import Discard as DiscardRoom
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Seat
from noughts.room.storage import room_from
from noughts.store.contract import Store
from noughts.store.presence import PresenceMirror, RoomPresence, stored_attendance
from noughts.tournament.commands import Discard, Recount
from noughts.values import Value

MAX_LISTED: Final = 1_000
RECOUNTS: Final = 20
"""How often the standings of a tournament that changes meanwhile are counted."""
PLAYER_PREFIX: Final = "p_"
COMMAND_LINE: Final = "command line"
SESSION: Final = "session"
MAX_SUBJECT: Final = 40
"""The longest id of a player that can be banned."""

log = structlog.get_logger()


class BanBody(Value):
    """An address or a player to ban, or to let in again with ``banned`` false."""

    address: str
    banned: bool = True


class CodeBody(Value):
    """A code that begins a session."""

    code: str


class RoomRow(Value):
    """One room in the admin list."""

    id: str
    variant: str
    phase: str
    visibility: str
    players: tuple[str, ...]
    ply: int
    connections: int
    used_ms: int


class RoomRows(Value):
    """The newest rooms, and how many there are in all."""

    rooms: tuple[RoomRow, ...]
    total: int


class AdminEndpoints:
    """The endpoints under ``/admin/``."""

    def __init__(
        self,
        config: Config,
        secret: AdminSecret,
        passes: Passes,
        store: Store,
        mirror: PresenceMirror,
        registry: RoomRegistry,
        heartbeat: Heartbeat,
        bans: Bans,
        hub: Hub,
        tournaments: Tournaments,
        accounts: PlayerEndpoints,
        roll_call: RollCall,
        limits: Limits,
    ) -> None:
        self._config = config
        self._secret = secret
        self._passes = passes
        self._store = store
        self._mirror = mirror
        self._registry = registry
        self._heartbeat = heartbeat
        self._bans = bans
        self._hub = hub
        self._tournaments = tournaments
        self._accounts = accounts
        self._roll_call = roll_call
        self._limits = limits

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
        router.add_post("/admin/codes", self._new_code)
        router.add_post("/admin/session", self._new_session)
        router.add_post("/admin/session/end", self._end_session)

    # --- who may come in ------------------------------------------------------------------------------------------

    async def _check(self, request: web.Request) -> None:
        """Let the operator in. Raise ``not_found`` for anybody else."""
        token = token_of(request)
        if self._secret.is_that_of(token):
            request[OPERATOR] = COMMAND_LINE
            return
        self._limits.take_for_networks(REQUESTS, request[ADDRESS], time.monotonic())
        if not await self._passes.is_session(token):
            raise nothing_here()
        request[OPERATOR] = SESSION

    async def _new_code(self, request: web.Request) -> web.Response:
        await self._check(request)
        code, expires_ms = await self._passes.new_code()
        self._log(request, "make a code", "")
        return json_response({"code": code, "expires_ms": expires_ms}, 201)

    async def _new_session(self, request: web.Request) -> web.Response:
        body = await body_of(request, CodeBody)
        await self._limits.take_shared(RESUME, network_of(request))
        session = await self._passes.new_session(body.code)
        if session is None:
            raise nothing_here()
        request[OPERATOR] = SESSION
        self._log(request, "begin a session", request[ADDRESS])
        return json_response({"session": session[0], "expires_ms": session[1]}, 201)

    async def _end_session(self, request: web.Request) -> web.Response:
        await self._check(request)
        await self._passes.end_session(token_of(request) or "")
        return json_response({})

    def _log(self, request: web.Request, command: str, subject: str) -> None:
        """Write the line of the audit log: what the operator did, to what, and by which door."""
        log.info("admin command", command=command, on=subject, door=request[OPERATOR])

    def _log_reading(self, request: web.Request, command: str) -> None:
        """Write the line for a command that only lists. A session reads lists again and again, without a line."""
        if request[OPERATOR] == COMMAND_LINE:
            self._log(request, command, "")

    # --- rooms ----------------------------------------------------------------------------------------------------

    async def _list_rooms(self, request: web.Request) -> web.Response:
        await self._check(request)
        rows = []
        for room_id, data, presence in await self._store.newest(MAX_LISTED):
            try:
                rows.append(self._row(readable(room_from, data), presence))
            except UnreadableError:
                rows.append(RoomRow(room_id, "?", "unreadable", "?", (), 0, 0, 0))
        self._log_reading(request, "list rooms")
        return json_response(RoomRows(tuple(rows), await self._store.count()))

    def _row(self, room: Room, stored: RoomPresence | None) -> RoomRow:
        ply = room.game.history.ply if room.game is not None else 0
        names = tuple([_name(seat) for seat in (room.seats.X, room.seats.O) if seat is not None])
        attendance = self._mirror.attendance(room.id) if stored is None else stored_attendance(stored)
        connections = attendance.connections
        return RoomRow(room.id, room.variant, room.phase, room.visibility, names, ply, connections, room.used_ms)

    async def _close_room(self, request: web.Request) -> web.Response:
        await self._check(request)
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
        self._log(request, "close room", room_id)
        return json_response({"closed": room_id})

    async def _close_tournament(self, id: str, no_room: Rejection) -> None:
        """Delete a tournament. Raise the rejection for a room if there is none either."""
        registry = self._tournaments.registry
        try:
            actor = await registry.open(id)
        except UnreadableRejection:
            await registry.remove(id)
        except Rejection as rejection:
            raise no_room if rejection.code == "unknown_tournament" else rejection from None
        else:
            await actor.tell(Discard())

    async def _recount(self, request: web.Request) -> web.Response:
        """Count the standings of a tournament again from its stored matches."""
        await self._check(request)
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
                self._log(request, "recount tournament", id)
                return json_response({"matches": len(finished), "changed": version != value.version})
        raise Rejection("unavailable", "The tournament changes too often: try again between two rounds.")

    async def _show_chat(self, request: web.Request) -> web.Response:
        """Answer with the chat of a room, for the operator to look into a complaint."""
        await self._check(request)
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
        self._log(request, "read chat", room_id)
        return json_response({"lines": lines})

    # --- players --------------------------------------------------------------------------------------------------

    async def _list_players(self, request: web.Request) -> web.Response:
        """Answer with the players who are connected to any node, and what limits rejected in the last hour."""
        await self._check(request)
        roster = await self._roll_call.ask()
        self._log_reading(request, "list players")
        return json_response({"players": roster.players, "limits": roster.bites})

    async def _rename(self, request: web.Request) -> web.Response:
        await self._check(request)
        body = await body_of(request, Rename)
        player = request.match_info["id"]
        person = await self._accounts.rename_by_operator(player, body.name)
        self._log(request, "rename player", player)
        return json_response({"player": player, "name": person.name})

    async def _forget(self, request: web.Request) -> web.Response:
        await self._check(request)
        player = request.match_info["id"]
        await self._accounts.forget_by_operator(player)
        self._log(request, "delete player", player)
        return json_response({"deleted": player})

    # --- nodes, bans, backups -------------------------------------------------------------------------------------

    async def _list_nodes(self, request: web.Request) -> web.Response:
        await self._check(request)
        own = self._heartbeat.status()
        others = [status for status in self._heartbeat.nodes if status.node != own.node]
        self._log_reading(request, "list nodes")
        return json_response({"nodes": [status._asdict() for status in (own, *others)]})

    async def _list_bans(self, request: web.Request) -> web.Response:
        await self._check(request)
        self._log_reading(request, "list bans")
        return json_response({"banned": self._bans.listed()})

    async def _ban(self, request: web.Request) -> web.Response:
        await self._check(request)
        body = await body_of(request, BanBody)
        subject = body.address.strip()
        if not (subject.startswith(PLAYER_PREFIX) and subject.isprintable() and len(subject) <= MAX_SUBJECT):
            try:
                subject = str(ipaddress.ip_address(subject))
            except ValueError:
                message = "Name one address, such as 203.0.113.9 or 2001:db8::9, or a player's id, such as p_Xk29."
                raise Rejection("bad_message", message) from None
        if body.banned:
            await self._bans.ban(subject)
            self._hub.close_banned(subject)
        else:
            await self._bans.lift(subject)
        self._log(request, "ban" if body.banned else "lift ban", subject)
        return json_response({"banned": self._bans.listed()})

    async def _show_backup(self, request: web.Request) -> web.Response:
        """Answer with the newest backup that a command made from this data directory."""
        await self._check(request)
        at_ms = None
        with suppress(OSError, ValueError, KeyError, TypeError):
            at_ms = int(json.loads((self._config.data / BACKUP_FILE).read_text())["at_ms"])
        return json_response({"at_ms": at_ms})


def _name(seat: Seat) -> str:
    return seat.name if isinstance(seat, HumanSeat) else f"engine:{seat.level}"
