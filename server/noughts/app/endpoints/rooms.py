"""Endpoints that make, list and show rooms and their games."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from noughts.app.endpoints.requests import ADDRESS, base_url, body_of, player_of
from noughts.app.endpoints.responses import json_response
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.lobby.matchmaking import Matchmaking
from noughts.app.machines.repository import Repository
from noughts.app.players.guests import Guests
from noughts.app.rooms.actor import RoomRegistry
from noughts.app.rooms.factory import RoomFactory
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import ROOMS, ROOMS_ADDRESS, Limits
from noughts.app.tournaments.records import MatchRecords
from noughts.engine.levels import default_level
from noughts.errors import Rejection
from noughts.protocol.bodies import LiveRooms, MyRooms, NewRoom, OpenRooms, QuickPlay, RoomAnswer
from noughts.protocol.records import game_record
from noughts.protocol.views import in_order, my_room, view
from noughts.room.clock import DaysClock
from noughts.room.policy import Policy
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Person, holder
from noughts.room.storage import game_from
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import Variant, variant_named
from noughts.store.contract import PlayerStore

MAX_MY_ROOMS: Final = 200
"""The most rooms in the list of a player's rooms."""


class RoomEndpoints:
    """Makes, lists and shows rooms. ``lobby`` and ``matchmaking`` are None where the operator switched the lobby off."""

    def __init__(
        self,
        config: Config,
        policy: Policy,
        registry: RoomRegistry,
        factory: RoomFactory,
        repository: Repository[Room],
        players: PlayerStore,
        lobby: LobbyFeed | None,
        matchmaking: Matchmaking | None,
        guests: Guests,
        limits: Limits,
        records: MatchRecords,
    ) -> None:
        self._config = config
        self._policy = policy
        self._registry = registry
        self._factory = factory
        self._repository = repository
        self._players = players
        self._lobby = lobby
        self._matchmaking = matchmaking
        self._guests = guests
        self._limits = limits
        self._records = records

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
        if body.opponent == "anyone" and self._lobby is None:
            raise Rejection("forbidden", "This server has no public rooms.")
        opening = _opening(body, variant)
        await self._charge(request, person)
        mark = None if body.mark == "random" else body.mark
        visibility = body.visibility if self._lobby else "unlisted"
        actor = await self._factory.create(
            person, variant, body.opponent, mark, engines, body.clock, visibility, request[ADDRESS], opening,
            first_to=body.first_to, swap=body.swap,
        )  # fmt: skip
        room = actor.room
        watch_url = self._url(request, room)
        url = watch_url if room.invite is None else f"{watch_url}#i={room.invite}"
        return json_response(RoomAnswer(view(room, self._policy), url, watch_url, room.invite), 201)

    async def _charge(self, request: web.Request, person: Person) -> None:
        await self._limits.take_for_address(ROOMS_ADDRESS, request[ADDRESS])
        await self._limits.take_shared(ROOMS, person.player)

    def _url(self, request: web.Request, room: Room) -> str:
        return f"{base_url(request, self._config)}/r/{room.id}"

    async def quick_play(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, QuickPlay)
        variant = variant_named(body.variant)
        if self._matchmaking is None:
            raise Rejection("forbidden", "This server has no quick play: invite a friend, or play the engine.")
        if isinstance(body.clock, DaysClock):
            raise Rejection("bad_message", "Quick play takes no clock of days: invite a friend instead.")
        actor, new = await self._matchmaking.quick_play(
            person, variant, body.clock, request[ADDRESS], lambda: self._charge(request, person)
        )
        url = self._url(request, actor.room)
        return json_response(RoomAnswer(view(actor.room, self._policy), url), 201 if new else 200)

    async def list_public(self, request: web.Request) -> web.Response:
        state, variant = request.query.get("state", "open"), request.query.get("variant")
        if state not in ("open", "live"):
            raise Rejection("bad_message", "state is open or live.")
        if variant is not None:
            variant_named(variant)
        if self._lobby is None:
            return json_response(OpenRooms(()))
        if state == "open":
            return json_response(OpenRooms(await self._lobby.open_rooms(variant)))
        return json_response(LiveRooms(await self._lobby.live_rooms(variant)))

    async def mine(self, request: web.Request) -> web.Response:
        """List the rooms of the caller. The rooms are read one by one, so a player with many does not hold up others."""
        person = await player_of(request, self._guests)
        turn = request.query.get("turn")
        if turn not in (None, "mine"):
            raise Rejection("bad_message", "turn is mine, or left out.")
        rooms = []
        for room_id in await self._repository.ids_of(person.player):
            room: Room | None = await self._repository.load(room_id)
            item = None if room is None else my_room(room, person.player)
            if item is not None and (item.yours or turn is None):
                rooms.append(item)
        return json_response(MyRooms(tuple(in_order(rooms)[:MAX_MY_ROOMS])))

    async def show(self, request: web.Request) -> web.Response:
        return json_response(view(await self._read(request), self._policy))

    async def _read(self, request: web.Request) -> Room:
        id = request.match_info["id"]
        try:
            room: Room = await self._registry.read(id)
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
        if room.match is not None:
            return await self._match_game(room, number)
        if game is None or game.number != number:
            data = await self._repository.record(room.id, number)
            if data is None:
                raise Rejection("not_found", "There is no such game in this room.")
            game = game_from(data)
        players = [player for player in (holder(game.players.X), holder(game.players.O)) if player is not None]
        return json_response(game_record(game, await self._players.names(players)))

    async def _match_game(self, room: Room, number: int) -> web.Response:
        """Return a game of a match, whose players have the names of the tournament."""
        game, data = room.game, None
        names = {seat.player: seat.name for seat in (room.seats.X, room.seats.O) if isinstance(seat, HumanSeat)}
        if game is None or game.number != number:
            game, data = None, await self._repository.record(room.id, number)
        if data is not None:
            game = game_from(data)
        if game is None:
            recorded = await self._records.game(room.id, number)
            if recorded is None:
                raise Rejection("not_found", "There is no such game in this room.")
            game, names = recorded
        return json_response(game_record(game, names))


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
