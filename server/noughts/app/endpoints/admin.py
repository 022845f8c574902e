"""Admin commands to a running server, from its own machine: list rooms, close one, ban an address."""

from __future__ import annotations

import ipaddress
from typing import Final

from aiohttp import web

from noughts.app.delivery.hub import Hub
from noughts.app.endpoints.requests import body_of, token_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.repository import UnreadableError, UnreadableRejection, readable
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.players.bans import Bans
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.runtime.admin_secret import SECRET_FILE, AdminSecret
from noughts.app.tournaments.parts import Tournaments
from noughts.errors import Rejection
from noughts.room.commands import Close, Request
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Seat
from noughts.room.storage import room_from
from noughts.store.machine_store import MachineStore
from noughts.store.presence import PresenceMirror, RoomPresence, stored_attendance
from noughts.tournament.commands import Discard, Recount
from noughts.values import Value

MAX_LISTED: Final = 1_000
RECOUNTS: Final = 20
"""How often the standings of a tournament that changes meanwhile are counted."""


class BanBody(Value):
    """An address to ban, or to let in again with ``banned`` false."""

    address: str
    banned: bool = True


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
        secret: AdminSecret,
        rooms: MachineStore,
        mirror: PresenceMirror,
        registry: RoomRegistry,
        heartbeat: Heartbeat,
        bans: Bans,
        hub: Hub,
        tournaments: Tournaments,
    ) -> None:
        self._secret = secret
        self._rooms = rooms
        self._mirror = mirror
        self._registry = registry
        self._heartbeat = heartbeat
        self._bans = bans
        self._hub = hub
        self._tournaments = tournaments

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the endpoints."""
        router.add_get("/admin/rooms", self._list_rooms, allow_head=False)
        router.add_post("/admin/rooms/{id}/close", self._close_room)
        router.add_post("/admin/tournaments/{id}/recount", self._recount)
        router.add_get("/admin/nodes", self._list_nodes, allow_head=False)
        router.add_get("/admin/bans", self._list_bans, allow_head=False)
        router.add_post("/admin/bans", self._ban)

    def _check(self, request: web.Request) -> None:
        if not self._secret.is_that_of(token_of(request)):
            raise Rejection("unauthorized", f"Only the operator may do that, with the token in {SECRET_FILE}.")

    async def _list_rooms(self, request: web.Request) -> web.Response:
        self._check(request)
        rows = []
        for room_id, data, presence in await self._rooms.newest(MAX_LISTED):
            try:
                rows.append(self._row(readable(room_from, data), presence))
            except UnreadableError:
                rows.append(RoomRow(room_id, "?", "unreadable", "?", (), 0, 0, 0))
        return json_response(RoomRows(tuple(rows), await self._rooms.count()))

    def _row(self, room: Room, stored: RoomPresence | None) -> RoomRow:
        ply = room.game.history.ply if room.game is not None else 0
        names = tuple([_name(seat) for seat in (room.seats.X, room.seats.O) if seat is not None])
        attendance = self._mirror.attendance(room.id) if stored is None else stored_attendance(stored)
        connections = attendance.connections
        return RoomRow(room.id, room.variant, room.phase, room.visibility, names, ply, connections, room.used_ms)

    async def _close_room(self, request: web.Request) -> web.Response:
        self._check(request)
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
            await actor.tell(Request(actor.room.owner, Close("admin")))
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
        self._check(request)
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
                return json_response({"matches": len(finished), "changed": version != value.version})
        raise Rejection("unavailable", "The tournament changes too often: try again between two rounds.")

    async def _list_nodes(self, request: web.Request) -> web.Response:
        self._check(request)
        own = self._heartbeat.status()
        others = [status for status in self._heartbeat.nodes if status.node != own.node]
        return json_response({"nodes": [status._asdict() for status in (own, *others)]})

    async def _list_bans(self, request: web.Request) -> web.Response:
        self._check(request)
        return json_response({"banned": self._bans.listed()})

    async def _ban(self, request: web.Request) -> web.Response:
        self._check(request)
        body = await body_of(request, BanBody)
        try:
            address = str(ipaddress.ip_address(body.address.strip()))
        except ValueError:
            raise Rejection("bad_message", "Name one address, such as 203.0.113.9 or 2001:db8::9.") from None
        if body.banned:
            await self._bans.ban(address)
            self._hub.close_address(address)
        else:
            await self._bans.lift(address)
        return json_response({"banned": self._bans.listed()})


def _name(seat: Seat) -> str:
    return seat.name if isinstance(seat, HumanSeat) else f"engine:{seat.level}"
