"""The endpoint that gives a player all that the server stores about that player."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from aiohttp import web

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.players import player_view, token_views
from noughts.app.endpoints.requests import player_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.players.guests import unknown_player
from noughts.app.runtime.limits import EXPORTS
from noughts.protocol.export import Export, ExportedDevice
from noughts.store.kinds import ROOM, TOURNAMENT


class ExportEndpoint:
    """Collects what the stores and the wings have about a player."""

    def __init__(self, parts: NodeParts, wings: Sequence[Wing]) -> None:
        self._store = parts.backend.store
        self._guests = parts.guests
        self._bans = parts.bans
        self._limits = parts.limits
        self._wings = {wing.kind: wing for wing in wings}

    def rows(self) -> tuple[Row, ...]:
        """Return the row of the contract that is answered here."""
        return (row("export", self.export),)

    async def export(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        await self._limits.take_shared(EXPORTS, person.player)
        stored = await self._store.player(person.player)
        if stored is None:
            raise unknown_player()
        tokens = await self._guests.tokens(person.player)
        devices = await self._store.subscriptions(person.player)
        answer = Export(
            player_view(person),
            min([token.made_ms for token in tokens if token.made_ms], default=0),
            max(stored.seen_ms, *[token.seen_ms for token in tokens]),
            token_views(tokens, request),
            tuple(await self._wings[ROOM].export(person.player)),
            tuple(await self._wings[TOURNAMENT].export(person.player)),
            tuple([ExportedDevice(urlsplit(each.endpoint).hostname or "", each.made_ms) for each in devices]),
            self._bans.holds(person.player),
        )
        response = json_response(answer)
        response.headers["Content-Disposition"] = 'attachment; filename="noughts.json"'
        return response
