"""Endpoints under ``/api/players``: guest accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog
from aiohttp import hdrs, web
from msgspec.structs import replace

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import ADDRESS, body_of, identity_of, player_of, token_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.wing import Wing
from noughts.app.page.languages import wanted_language
from noughts.app.players.guests import unknown_player
from noughts.app.players.identity import NAMES, hash_secret, plain_code, token_id
from noughts.app.runtime.limits import GUESTS, RENAMES, RENAMES_ADDRESS, RESUME
from noughts.errors import Rejection
from noughts.protocol.bodies import NewPlayer, PlayerAnswer, Rename, Resume, ResumeCode, TokensAnswer, TokenView
from noughts.protocol.messages import PlayerView
from noughts.room.seat import SOMEONE, Person
from noughts.store.contract import StoredToken, StoreUnavailableError

UNSEEN_INTERVAL_S: Final = 3_600.0

log = structlog.get_logger()


class PlayerEndpoints:
    """Makes, shows, renames, moves and deletes guest accounts."""

    def __init__(self, parts: NodeParts, wings: Sequence[Wing]) -> None:
        self._config = parts.config
        self._guests = parts.guests
        self._wings = wings
        self._hub = parts.hub
        self._limits = parts.limits

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("newPlayer", self.create),
            row("me", self.me),
            row("rename", self.rename),
            row("forgetMe", self.delete),
            row("tokens", self.tokens),
            row("deleteToken", self.delete_token),
            row("newResumeCode", self.resume_code),
            row("resume", self.resume),
        )

    async def create(self, request: web.Request) -> web.Response:
        body = await body_of(request, NewPlayer)
        await self._limits.take_for_address(GUESTS, request[ADDRESS])
        identity, bot = identity_of(request, self._config), body.bot is True
        if identity is not None:
            person, token = await self._guests.sign_on(identity, bot=bot)
        elif self._config.guests != "on":
            raise Rejection("forbidden", "On this server only people who signed on can play. You may watch.")
        else:
            language = wanted_language(request.headers.get(hdrs.ACCEPT_LANGUAGE, ""), NAMES)
            person, token = await self._guests.create(body.name, language=language, bot=bot)
        return json_response(PlayerAnswer(player_view(person), token), 201)

    async def me(self, request: web.Request) -> web.Response:
        return json_response(PlayerAnswer(player_view(await player_of(request, self._guests))))

    async def rename(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, Rename)
        await self._limits.take_shared(RENAMES, person.player)
        await self._limits.take_for_address(RENAMES_ADDRESS, request[ADDRESS])
        renamed = await self._guests.rename(person.player, body.name)
        await self._show(renamed)
        if not await self._guests.exists(person.player):
            await self._forget(person.player)  # deleted meanwhile: nobody is to show the new name
            raise Rejection("unauthorized", "This player was deleted: make another with POST /api/players.")
        return json_response(PlayerAnswer(player_view(replace(person, name=renamed.name))))

    async def delete(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        await self._forget(person.player)
        return json_response(PlayerAnswer(player_view(replace(person, name=SOMEONE))))

    async def rename_by_operator(self, player: str, name: str) -> Person:
        """Give a player another name everywhere. Raise ``bad_message`` or ``not_found``."""
        renamed = await self._guests.rename_by_operator(player, name)
        await self._show(renamed)
        return renamed

    async def check_exists(self, player: str) -> None:
        """Raise ``not_found`` for the id of no player."""
        if not await self._guests.exists(player):
            raise unknown_player()

    async def forget_by_operator(self, player: str) -> None:
        """Delete a player and the name everywhere. Raise ``not_found``."""
        await self.check_exists(player)
        await self._forget(player)

    async def delete_unseen_guests(self) -> None:
        """Delete the guests that have not come back for too long, once an hour, until cancelled."""
        while True:
            with suppress(StoreUnavailableError, Rejection):
                count = await self.delete_unseen()
                if count:
                    log.info("unseen guests deleted", players=count)
            await asyncio.sleep(UNSEEN_INTERVAL_S)

    async def delete_unseen(self) -> int:
        """Delete every guest that has not come back for too long. Return how many."""
        gone = await self._guests.delete_unseen(self._forget_in_values)
        await self._show(*[Person(player, SOMEONE) for player in gone])
        return len(gone)

    async def _forget(self, player: str) -> None:
        """Delete a player. The values come first: if that fails, the client can ask again with the same token."""
        await self._forget_in_values(player)
        await self._show(await self._guests.delete(player))
        self._hub.close_player(player)
        await self._forget_in_values(player)  # the player may have joined a tournament meanwhile

    async def _forget_in_values(self, player: str) -> None:
        for wing in self._wings:
            await wing.forget(player)

    async def _show(self, *people: Person) -> None:
        """Show players under their present names on this node. The store has them, and the other nodes are told."""
        names = {person.player: person.name for person in people}
        for wing in self._wings:
            if wing.registry is not None:
                await wing.registry.rename(names)

    async def tokens(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        return json_response(await self._tokens(request, person.player))

    async def delete_token(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        for token in await self._guests.tokens(person.player):
            if token_id(token.hash) == request.match_info["id"]:
                await self._guests.delete_token(person.player, token.hash)
                self._hub.close_token(token.hash)
                return json_response(await self._tokens(request, person.player))
        raise Rejection("not_found", "You have no such token: GET /api/players/me/tokens lists them.")

    async def _tokens(self, request: web.Request, player: str) -> TokensAnswer:
        return TokensAnswer(token_views(await self._guests.tokens(player), request))

    async def resume_code(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        code, expires_ms = await self._guests.resume_code(person.player)
        return json_response(ResumeCode(code, expires_ms), 201)

    async def resume(self, request: web.Request) -> web.Response:
        body = await body_of(request, Resume)
        code = plain_code(body.code)  # a text that is no code uses up no try
        await self._limits.take_for_address(RESUME, request[ADDRESS])
        person, token = await self._guests.resume(code)
        return json_response(PlayerAnswer(player_view(person), token))


def token_views(tokens: Sequence[StoredToken], request: web.Request) -> tuple[TokenView, ...]:
    """Return tokens as their player sees them."""
    own = hash_secret(token_of(request) or "")
    return tuple([TokenView(token_id(each.hash), each.made_ms, each.seen_ms, each.hash == own) for each in tokens])


def player_view(person: Person) -> PlayerView:
    """Return a player as everybody may see it."""
    return PlayerView(person.player, person.name, person.bot)
