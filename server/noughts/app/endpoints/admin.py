"""Admin commands to a running server, from its own machine: list rooms, close one, ban an address.

At its start the server writes a secret into its data directory. Only the account that runs the server can read it, so a
caller with the secret is the operator. Several nodes may have one data directory: each has a file of its own, named for its
port, and any of them carries out a command.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from noughts.app.delivery.hub import Hub
from noughts.app.endpoints.requests import body_of, token_of
from noughts.app.endpoints.responses import json_response
from noughts.app.players.bans import Bans
from noughts.app.players.identity import new_token
from noughts.app.rooms.heartbeat import Heartbeat
from noughts.app.rooms.registry import RoomRegistry
from noughts.app.rooms.unreadable_rooms import UnreadableRejection, UnreadableRoomError, read_room
from noughts.errors import Rejection
from noughts.room.commands import Close, Request
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Seat
from noughts.store.contract import RoomStore
from noughts.store.presence import PresenceMirror, RoomPresence, stored_attendance
from noughts.values import Value

SECRET_FILE: Final = "admin.json"
NODE_SECRET_FILES: Final = "admin-*.json"
"""The files of nodes that share a store. The star stands for a port: a killed node leaves one file."""
OLD_SECRET_FILE: Final = "operator.json"
"""Where 0.1.0 kept the secret. A server that was killed left it there."""
MAX_LISTED: Final = 1_000


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
        data: Path,
        rooms: RoomStore,
        leases: PresenceMirror,
        registry: RoomRegistry,
        heartbeat: Heartbeat,
        bans: Bans,
        hub: Hub,
    ) -> None:
        self._data = data
        self._secret_path: Path | None = None
        self._rooms = rooms
        self._leases = leases
        self._registry = registry
        self._heartbeat = heartbeat
        self._bans = bans
        self._hub = hub
        self._secret = new_token()

    def write_secret(self, url: str) -> None:
        """Write the server's address and the secret into the data directory, for the command line. Raise ``OSError``."""
        shared = self._heartbeat.shared
        path = self._data / (NODE_SECRET_FILES.replace("*", str(urlsplit(url).port)) if shared else SECRET_FILE)
        self._secret_path = path
        path.unlink(missing_ok=True)
        (self._data / OLD_SECRET_FILE).unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"url": url, "token": self._secret}, file)

    def remove_secret(self) -> None:
        """Remove the secret: the server is stopping, whether or not that succeeds."""
        if self._secret_path is not None:
            with suppress(OSError):
                self._secret_path.unlink(missing_ok=True)

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Register the endpoints."""
        router.add_get("/admin/rooms", self._list_rooms, allow_head=False)
        router.add_post("/admin/rooms/{id}/close", self._close_room)
        router.add_get("/admin/nodes", self._list_nodes, allow_head=False)
        router.add_get("/admin/bans", self._list_bans, allow_head=False)
        router.add_post("/admin/bans", self._ban)

    def _check(self, request: web.Request) -> None:
        token = (token_of(request) or "").encode("utf-8", "replace")
        if not hmac.compare_digest(token, self._secret.encode()):
            raise Rejection("unauthorized", f"Only the operator may do that, with the token in {SECRET_FILE}.")

    async def _list_rooms(self, request: web.Request) -> web.Response:
        self._check(request)
        rows = []
        for room_id, data, presence in await self._rooms.newest(MAX_LISTED):
            try:
                rows.append(self._row(read_room(data), presence))
            except UnreadableRoomError:
                rows.append(RoomRow(room_id, "?", "unreadable", "?", (), 0, 0, 0))
        return json_response(RoomRows(tuple(rows), await self._rooms.room_count()))

    def _row(self, room: Room, stored: RoomPresence | None) -> RoomRow:
        ply = room.game.history.ply if room.game is not None else 0
        names = tuple([_name(seat) for seat in (room.seats.X, room.seats.O) if seat is not None])
        attendance = self._leases.attendance(room.id) if stored is None else stored_attendance(stored)
        connections = attendance.connections
        return RoomRow(room.id, room.variant, room.phase, room.visibility, names, ply, connections, room.used_ms)

    async def _close_room(self, request: web.Request) -> web.Response:
        self._check(request)
        room_id = request.match_info["id"]
        try:
            actor = await self._registry.open(room_id)
        except UnreadableRejection:
            await self._registry.remove(room_id)
        else:
            await actor.tell(Request(actor.room.owner, Close("admin")))
        return json_response({"closed": room_id})

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
            await self._hub.close_address(address)
        else:
            await self._bans.lift(address)
        return json_response({"banned": self._bans.listed()})


def _name(seat: Seat) -> str:
    return seat.name if isinstance(seat, HumanSeat) else f"engine:{seat.level}"


def read_secrets(data: Path) -> Sequence[tuple[str, str]]:
    """Return the address and the secret of each server that runs on a data directory, or was killed there; newest first."""
    files = [*data.glob(NODE_SECRET_FILES), data / SECRET_FILE]
    secrets = []
    for file in files:
        with suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(file.read_text())
            secrets.append((file.stat().st_mtime, str(content["url"]), str(content["token"])))
    return [(url, token) for _, url, token in sorted(secrets, reverse=True)]
