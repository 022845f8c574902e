"""Endpoints that make and show rooms and their games."""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from aiohttp import web
from msgspec.structs import replace

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import ADDRESS, base_url, body_of, player_of
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.repository import Repository
from noughts.app.rooms.factory import RoomFactory
from noughts.app.rooms.on_node import RoomRegistry
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import ROOMS, ROOMS_ADDRESS, Limits
from noughts.engine.levels import default_level
from noughts.errors import Rejection
from noughts.protocol.bodies import MyRooms, NewRoom, RoomAnswer
from noughts.protocol.export import ExportedLine, ExportedRoom
from noughts.protocol.messages import GameRecord
from noughts.protocol.records import game_record
from noughts.protocol.views import in_order, my_room, view
from noughts.room.policy import Policy
from noughts.room.room import Room, RoomGame, mark_of
from noughts.room.seat import Person, holder
from noughts.room.storage import game_from
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import Variant, variant_named

MAX_MY_ROOMS: Final = 200
"""The most rooms in the list of a player's rooms."""


class RecordedRooms(Protocol):
    """Rooms that are closed, and their games, as they were recorded elsewhere."""

    async def room(self, room_id: str) -> Room | None:
        """Return a recorded room; None for any other."""
        ...

    async def game(self, room_id: str, number: int) -> RoomGame | None:
        """Return a game of a recorded room; None for any other."""
        ...


class RoomEndpoints:
    """Makes and shows rooms."""

    def __init__(
        self,
        parts: NodeParts,
        policy: Policy,
        registry: RoomRegistry,
        factory: RoomFactory,
        repository: Repository[Room],
        records: RecordedRooms,
    ) -> None:
        self._config = parts.config
        self._policy = policy
        self._registry = registry
        self._factory = factory
        self._repository = repository
        self._names = parts.names
        self._guests = parts.guests
        self._limits = parts.limits
        self._records = records
        self._clock = parts.state.clock

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("myRooms", self.mine),
            row("newRoom", self.create),
            row("room", self.show),
            row("game", self.game),
        )

    async def create(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, NewRoom)
        variant = variant_named(body.variant)
        engines: tuple[str, ...] = ()
        if body.opponent == "engine":
            engines = (body.level or default_level(self._policy.levels[variant.key]),)
        elif body.opponent == "engines":
            if body.levels is None:
                raise Rejection("bad_message", "Two engines need levels: that of X and that of O.")
            if body.first_to is not None or body.swap:
                raise Rejection("bad_message", "Two engines play neither a series nor with the swap rule.")
            engines = body.levels
        if body.opponent == "anyone" and not self._config.lobby:
            raise Rejection("forbidden", "This server has no public rooms.")
        opening = _opening(body, variant)
        await charge_room(self._limits, request, person)
        mark = None if body.mark == "random" else body.mark
        visibility = body.visibility if self._config.lobby else "unlisted"
        actor = await self._factory.create(
            person, variant, body.opponent, mark, engines, body.clock, visibility, request[ADDRESS], opening,
            first_to=body.first_to, swap=body.swap,
        )  # fmt: skip
        room = actor.room
        watch_url = room_url(request, self._config, room)
        url = watch_url if room.invite is None else f"{watch_url}#i={room.invite}"
        return json_response(
            RoomAnswer(view(room, self._policy, actor.connections.names), url, watch_url, room.invite), 201
        )

    async def mine(self, request: web.Request) -> web.Response:
        """List the rooms of the caller. The rooms are read one by one, so a player with many does not hold up others."""
        person = await player_of(request, self._guests)
        turn = request.query.get("turn")
        if turn not in (None, "mine"):
            raise Rejection("bad_message", "turn is mine, or left out.")
        rooms: list[Room] = []
        for room_id in await self._repository.store.ids_of(person.player):
            room = await self._repository.load(room_id)
            if room is not None:
                rooms.append(room)
        names = await self._names.in_rooms(rooms)
        items = [item for room in rooms if (item := my_room(room, person.player, names)) is not None]
        shown = in_order([item for item in items if item.yours or turn is None])
        return json_response(MyRooms(tuple(shown[:MAX_MY_ROOMS]), self._clock.now_ms()))

    async def show(self, request: web.Request) -> web.Response:
        room = await self._read(request)
        return json_response(view(room, self._policy, await self._names.in_rooms([room])))

    async def _read(self, request: web.Request) -> Room:
        id = request.match_info["id"]
        try:
            room = await self._registry.read(id)
        except Rejection as rejection:
            recorded = await self._records.room(id) if rejection.code == "unknown_room" else None
            if recorded is None:
                raise
            return recorded
        return room

    async def game(self, request: web.Request) -> web.Response:
        room = await self._read(request)
        text = request.match_info["number"]
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        game = room.game
        if game is None or game.number != number:
            data = await self._repository.store.record(room.id, number)
            recorded = await self._records.game(room.id, number) if room.match is not None and data is None else None
            game = recorded if data is None else game_from(data)
        if game is None:
            raise Rejection("not_found", "There is no such game in this room.")
        names = await self._names.in_rooms([replace(room, game=game)])
        return json_response(game_record(game, names))

    async def export(self, player: str) -> list[ExportedRoom]:
        """Return what rooms keep about a player: those of the player, and those in which the player only wrote.

        Others get their turn between two games. Raise ``unavailable``.
        """
        rooms: list[ExportedRoom] = []
        own = await self._repository.store.ids_of(player)
        watched = await self._repository.store.ids_with_lines_of(player)
        for id in dict.fromkeys((*own, *watched)):
            loaded = await self._repository.decoded(id, await self._repository.store.load(id))
            if loaded is None:
                continue
            room = loaded.value
            records = await self._repository.store.records(id, range(1, room.games + 1))
            kept = [game_from(data) for data in records if data is not None]
            if room.game is not None and room.game.outcome is None:
                kept.append(room.game)
            if id not in own:
                kept = [game for game in kept if player in (holder(game.players.X), holder(game.players.O))]
            chat = [ExportedLine(line.at_ms, line.ply, line.text) for line in loaded.lines if line.player == player]
            if id not in own and not chat:
                continue
            games = [await self._recorded(room, game) for game in kept]
            rooms.append(ExportedRoom(id, room.variant, mark_of(room, player), tuple(games), tuple(chat)))
        return rooms

    async def _recorded(self, room: Room, game: RoomGame) -> GameRecord:
        await asyncio.sleep(0)
        return game_record(game, await self._names.in_rooms([replace(room, game=game)]))


async def charge_room(limits: Limits, request: web.Request, person: Person) -> None:
    """Use the credit for a new room. Raise ``rate_limited``."""
    await limits.take_for_address(ROOMS_ADDRESS, request[ADDRESS])
    await limits.take_shared(ROOMS, person.player)


def room_url(request: web.Request, config: Config, room: Room) -> str:
    """Return the URL of a room's page."""
    return f"{base_url(request, config)}/r/{room.id}"


def _opening(body: NewRoom, variant: Variant) -> Game | None:
    """Return the moves that the first game begins after, None for the empty board.

    Raise ``bad_message`` or ``illegal_move``.
    """
    if not body.moves:
        return None
    if body.opponent != "engine" or body.clock is not None:
        raise Rejection("bad_message", "Only a game against the engine, without a clock, begins after moves.")
    opening = replay_names(variant, body.moves)
    if opening.outcome is not None:
        raise Rejection("illegal_move", "The game is over after these moves: leave out the last one.", ply=opening.ply)
    return opening
