"""What the operator can do to a running server, from its own machine: list rooms, close one, ban an address.

The server writes a secret into its data directory, readable by its own account alone; whoever can read it is the operator.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import os
from pathlib import Path
from typing import Final

import msgspec
from aiohttp import web

from noughts.app.config import Config
from noughts.app.hosts import Hosts
from noughts.app.identity import new_token
from noughts.app.requests import body_of, json_answer, token_of
from noughts.app.sockets import Sockets
from noughts.errors import Rejection
from noughts.room.commands import Close, Request
from noughts.store.contract import Store

SECRET_FILE: Final = "operator.json"
_MAX_LISTED: Final = 1_000


class BanBody(msgspec.Struct, frozen=True):
    """An address to ban, or to let in again."""

    address: str
    banned: bool = True


class RoomRow(msgspec.Struct, frozen=True):
    """One room in the operator's list."""

    id: str
    variant: str
    phase: str
    visibility: str
    players: tuple[str, ...]
    ply: int
    connections: int
    used_ms: int


class RoomRows(msgspec.Struct, frozen=True):
    rooms: tuple[RoomRow, ...]
    total: int


class Operator:
    """The operator's calls, under ``/operator/``."""

    def __init__(self, config: Config, store: Store, hosts: Hosts, sockets: Sockets) -> None:
        self.banned: set[str] = set()
        self._config = config
        self._store = store
        self._hosts = hosts
        self._sockets = sockets
        self._secret = new_token()

    async def start(self) -> None:
        """Learn who is banned."""
        self.banned.update(await self._store.banned())

    def write_secret(self, url: str) -> None:
        """Leave the address of this server and the secret where the command line finds them."""
        path = self._config.data / SECRET_FILE
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"url": url, "token": self._secret}, file)

    def remove_secret(self) -> None:
        """The server is going: nobody need find it."""
        (self._config.data / SECRET_FILE).unlink(missing_ok=True)

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/operator/rooms", self._rooms, allow_head=False)
        app.router.add_post("/operator/rooms/{id}/close", self._close)
        app.router.add_get("/operator/bans", self._bans, allow_head=False)
        app.router.add_post("/operator/bans", self._ban)

    def _check(self, request: web.Request) -> None:
        given = (token_of(request) or "").encode("utf-8", "replace")
        if not hmac.compare_digest(given, self._secret.encode()):
            raise Rejection("unauthorized", f"Only the operator may do that, with the token in {SECRET_FILE}.")

    async def _rooms(self, request: web.Request) -> web.Response:
        self._check(request)
        ids = await self._store.all_rooms()
        rows = []
        for room_id in ids[:_MAX_LISTED]:
            try:
                host = await self._hosts.find(room_id)
            except Rejection:
                continue
            room = host.room
            if room is None:
                continue
            names = tuple(
                getattr(seat, "name", None) or f"engine:{getattr(seat, 'level', '')}"
                for seat in (room.x, room.o)
                if seat
            )
            ply = room.game.play.ply if room.game is not None else 0
            rows.append(
                RoomRow(
                    room.id, room.variant, room.phase, room.visibility, names, ply, len(host.connections), room.used_ms
                )
            )
        return json_answer(RoomRows(tuple(rows), len(ids)))

    async def _close(self, request: web.Request) -> web.Response:
        self._check(request)
        host = await self._hosts.find(request.match_info["id"])
        room = await host.current()
        await host.tell(Request(room.owner, Close("operator")))
        return json_answer({"closed": room.id})

    async def _bans(self, request: web.Request) -> web.Response:
        self._check(request)
        return json_answer({"banned": sorted(self.banned)})

    async def _ban(self, request: web.Request) -> web.Response:
        self._check(request)
        body = await body_of(request, BanBody)
        try:
            address = str(ipaddress.ip_address(body.address.strip()))
        except ValueError:
            raise Rejection("bad_message", "Name one address, such as 203.0.113.9 or 2001:db8::9.") from None
        if body.banned:
            await self._store.ban(address)
            self.banned.add(address)
            await self._sockets.turn_out(address)
        else:
            await self._store.unban(address)
            self.banned.discard(address)
        return json_answer({"banned": sorted(self.banned)})


def read_secret(data: Path) -> tuple[str, str] | None:
    """The address and token of the server that runs on this data directory; None if none does."""
    try:
        found = json.loads((data / SECRET_FILE).read_text())
        return str(found["url"]), str(found["token"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
