"""Endpoints that list public rooms, and quick play."""

from __future__ import annotations

from aiohttp import web

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import ADDRESS, body_of, player_of
from noughts.app.endpoints.responses import json_response
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.lobby.matchmaking import Matchmaking
from noughts.app.machines.node_parts import NodeParts
from noughts.app.rooms.endpoints import charge_room, room_url
from noughts.errors import Rejection
from noughts.protocol.bodies import LiveRooms, OpenRooms, QuickPlay, RoomAnswer
from noughts.protocol.views import view
from noughts.room.clock import DaysClock
from noughts.room.policy import Policy
from noughts.rules.variant import variant_named


class LobbyEndpoints:
    """Lists public rooms, and seats strangers. The operator can switch both off."""

    def __init__(self, parts: NodeParts, policy: Policy, feed: LobbyFeed, matchmaking: Matchmaking) -> None:
        self._config = parts.config
        self._guests = parts.guests
        self._limits = parts.limits
        self._policy = policy
        self._feed = feed
        self._matchmaking = matchmaking

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("rooms", self.list_public),
            row("quickPlay", self.quick_play),
        )

    async def quick_play(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, QuickPlay)
        variant = variant_named(body.variant)
        if not self._config.lobby:
            raise Rejection("forbidden", "This server has no quick play: invite a friend, or play the engine.")
        if isinstance(body.clock, DaysClock):
            raise Rejection("bad_message", "Quick play takes no clock of days: invite a friend instead.")
        actor, new = await self._matchmaking.quick_play(
            person, variant, body.clock, request[ADDRESS], lambda: charge_room(self._limits, request, person)
        )
        url = room_url(request, self._config, actor.room)
        return json_response(
            RoomAnswer(view(actor.room, self._policy, actor.connections.names), url), 201 if new else 200
        )

    async def list_public(self, request: web.Request) -> web.Response:
        state, variant = request.query.get("state", "open"), request.query.get("variant")
        if state not in ("open", "live"):
            raise Rejection("bad_message", "state is open or live.")
        if variant is not None:
            variant_named(variant)
        if not self._config.lobby:
            return json_response(OpenRooms(()))
        if state == "open":
            return json_response(OpenRooms(await self._feed.open_rooms(variant)))
        return json_response(LiveRooms(await self._feed.live_rooms(variant)))
