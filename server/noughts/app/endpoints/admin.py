"""What the operator does, from the command line or on the admin page: list, close, ban, rename, delete."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Final

from aiohttp import web

from noughts.app.delivery.routes import Row
from noughts.app.endpoints.admin_access import AdminAccess, newest_in
from noughts.app.endpoints.players import PlayerEndpoints
from noughts.app.endpoints.requests import ADDRESS, body_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.node.heartbeat import Heartbeat
from noughts.app.node.roll_call import RollCall
from noughts.app.runtime.logs import shown
from noughts.errors import Rejection
from noughts.protocol.bodies import Rename
from noughts.values import Value

PLAYER_PREFIX: Final = "p_"
MAX_SUBJECT: Final = 40
"""The longest id of a player that can be banned."""


class BanBody(Value):
    """An address or a player to ban, or to let in again with ``banned`` false."""

    address: str
    banned: bool = True


class AdminEndpoints:
    """The endpoints under ``/admin/``."""

    def __init__(
        self,
        parts: NodeParts,
        access: AdminAccess,
        wings: Sequence[Wing],
        heartbeat: Heartbeat,
        accounts: PlayerEndpoints,
        roll_call: RollCall,
    ) -> None:
        self._backups = parts.backups
        self._access = access
        self._wings = wings
        self._heartbeat = heartbeat
        self._bans = parts.bans
        self._hub = parts.hub
        self._accounts = accounts
        self._roll_call = roll_call

    def rows(self) -> tuple[Row, ...]:
        """Return the rows under ``/admin/`` that are about no kind of value."""
        return (
            Row("POST", "/admin/rooms/{id}/close", self._close),
            Row("GET", "/admin/players", self._list_players),
            Row("POST", "/admin/players/{id}/rename", self._rename),
            Row("POST", "/admin/players/{id}/forget", self._forget),
            Row("GET", "/admin/nodes", self._list_nodes),
            Row("GET", "/admin/bans", self._list_bans),
            Row("POST", "/admin/bans", self._ban),
            Row("GET", "/admin/backup", self._show_backup),
        )

    async def _close(self, request: web.Request) -> web.Response:
        """Close the room or the tournament with an id."""
        await self._access.check(request)
        id = request.match_info["id"]
        for wing in self._wings:
            if await wing.close(id):
                self._access.log(request, "close room", shown(id))
                return json_response({"closed": id})
        raise Rejection("unknown_room", "This room does not exist or has expired.")

    # --- players --------------------------------------------------------------------------------------------------

    async def _list_players(self, request: web.Request) -> web.Response:
        """Answer with the players who are connected to any node, and what limits rejected in the last hour."""
        await self._access.check(request)
        roster = await self._roll_call.ask()
        self._access.log_reading(request, "list players")
        players = roster.players[: newest_in(request)]
        bites = [bite._asdict() for bite in roster.bites]
        answer = {"players": players, "total": len(roster.players), "limits": bites}
        return json_response({**answer, "now_ms": self._heartbeat.now_ms})

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
        return json_response(
            {"nodes": [status._asdict() for status in (own, *others)], "now_ms": self._heartbeat.now_ms}
        )

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
        """Answer with when the newest backup was made, and if the server makes them, how often, and the last failure."""
        await self._access.check(request)
        backups = self._backups
        answer = {"at_ms": backups.newest_ms or None, "hours": backups.hours, "fault": backups.fault}
        return json_response({**answer, "now_ms": self._heartbeat.now_ms})
