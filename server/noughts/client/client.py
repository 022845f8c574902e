"""A player on a server: makes rooms, enters them, and asks for lists, analyses and records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Literal
from urllib.parse import quote

from noughts.client.endpoints import Endpoints
from noughts.client.links import parse_link, server_url, socket_url
from noughts.client.room import Clock, Room, clock_setting
from noughts.client.tournament import Tournament
from noughts.protocol.bodies import (
    AnalysisAnswer,
    LiveRooms,
    MyRoom,
    MyRooms,
    NewPlayer,
    NewRoom,
    OpenRooms,
    PlayerAnswer,
    PositionView,
    QuickPlay,
    Rename,
    RoomAnswer,
    TokensAnswer,
    TokenView,
    VariantsAnswer,
    VariantView,
)
from noughts.protocol.messages import GameRecord, LiveRoom, OpenRoom, PlayerView, View
from noughts.protocol.tournament_bodies import JoinAnswer, JoinTournament
from noughts.room.commands import Visibility
from noughts.room.creation import Opponent
from noughts.rules.outcome import Mark


class Client:
    """A player on a server. :func:`connect` makes one."""

    def __init__(self, endpoints: Endpoints, player: PlayerView | None) -> None:
        self._endpoints = endpoints
        self._player = player
        self._rooms: list[Room] = []
        self._tournaments: list[Tournament] = []

    @property
    def url(self) -> str:
        """The URL of the server, without a slash at the end."""
        return self._endpoints.url

    @property
    def player(self) -> PlayerView:
        """This player: ``id``, ``name``, and whether it is a ``bot``. Raise RuntimeError for a nameless spectator."""
        if self._player is None:
            raise RuntimeError("this client has no player: connect without guest=False to be one")
        return self._player

    @property
    def token(self) -> str:
        """The secret that proves who this player is. Keep it to come back as the same player."""
        if self._endpoints.token is None:
            raise RuntimeError("this client has no player: connect without guest=False to be one")
        return self._endpoints.token

    async def create(
        self,
        variant: str,
        *,
        opponent: Opponent = "friend",
        level: str | None = None,
        levels: tuple[str, str] | None = None,
        mark: Mark | Literal["random"] = "random",
        clock: Clock = None,
        visibility: Visibility | None = None,
        moves: Sequence[str] = (),
        first_to: int | None = None,
        swap: bool = False,
    ) -> Room:
        """Make a room and sit down in it. With the opponent ``engines`` you watch.

        ``moves`` are those that a game against the engine begins after. ``first_to`` wins decide a series. With
        ``swap``, O may take X's side after the first move.
        """
        clock_ = clock_setting(clock)
        body = NewRoom(
            variant, opponent, mark, level, levels, clock_, visibility, tuple(moves), first_to=first_to, swap=swap
        )
        return self._room(await self._endpoints.call("POST", "/api/rooms", RoomAnswer, body))

    async def join(self, room: str) -> Room:
        """Return a room by its id or its link, to enter it. You sit down with :meth:`Room.sit`.

        Raise :class:`RoomGone` for a room that is gone, :class:`ConnectError` for text that is no link.
        """
        link = parse_link(room)
        view = await self._endpoints.get(f"/api/rooms/{quote(link.room, safe='')}", View)
        watch_url = f"{link.server or self.url}/r/{link.room}"
        return self._keep(view, watch_url, watch_url, link.invite)

    async def quick_play(self, variant: str, clock: Clock = None) -> Room:
        """Sit down opposite a stranger who wants this game, or wait for one in a room of your own."""
        return self._room(
            await self._endpoints.call("POST", "/api/quickplay", RoomAnswer, QuickPlay(variant, clock_setting(clock)))
        )

    async def join_tournament(self, pin: str, name: str | None = None) -> Tournament:
        """Join the tournament with a PIN, under this player's name or another one. Joining again is no second entry."""
        body = JoinTournament(pin, name)
        answer = await self._endpoints.call("POST", "/api/tournaments/join", JoinAnswer, body)
        tournament = Tournament(
            socket_url(self.url), self._endpoints.token, answer.tournament, answer.url, answer.entrant
        )
        self._tournaments.append(tournament)
        return tournament

    async def rooms(self, turn: Literal["mine"] | None = None) -> tuple[MyRoom, ...]:
        """Return the rooms in which you hold a seat, your turn first, then by deadline, then the newest change first.

        With the turn ``mine`` return only those in which it is your turn.
        """
        query = {} if turn is None else {"turn": turn}
        return (await self._endpoints.get("/api/players/me/rooms", MyRooms, **query)).rooms

    async def public_rooms(
        self, state: Literal["open", "live"] = "open", variant: str | None = None
    ) -> tuple[OpenRoom, ...] | tuple[LiveRoom, ...]:
        """Return the public rooms that wait for an opponent, or those with a game on, newest first."""
        query = {"state": state} if variant is None else {"state": state, "variant": variant}
        if state == "open":
            return (await self._endpoints.get("/api/rooms", OpenRooms, **query)).rooms
        return (await self._endpoints.get("/api/rooms", LiveRooms, **query)).rooms

    async def analysis(self, variant: str, moves: Sequence[str] = ()) -> tuple[PositionView, ...]:
        """Return the verdict of every position of a game, from ply 0. It takes up to ten seconds."""
        answer = await self._endpoints.get("/api/analysis", AnalysisAnswer, variant=variant, moves=",".join(moves))
        return answer.positions

    async def variants(self) -> tuple[VariantView, ...]:
        """Return the variants that the server plays, with their rules and levels."""
        return (await self._endpoints.get("/api/variants", VariantsAnswer)).variants

    async def rename(self, name: str) -> PlayerView:
        """Change the name. Every room shows the new one."""
        self._player = (await self._endpoints.call("PATCH", "/api/players/me", PlayerAnswer, Rename(name))).player
        return self._player

    async def tokens(self) -> tuple[TokenView, ...]:
        """Return the tokens of this player, oldest first. Each device has one of its own."""
        return (await self._endpoints.get("/api/players/me/tokens", TokensAnswer)).tokens

    async def delete_token(self, token_id: str) -> None:
        """Delete a token by its id: it is refused from now on, and its connections are closed.

        Raise :class:`Rejected` for an id that is not in :meth:`tokens`.
        """
        await self._endpoints.call("DELETE", f"/api/players/me/tokens/{quote(token_id, safe='')}", TokensAnswer)

    async def game(self, room: Room | str, number: int) -> GameRecord:
        """Return a game of a room, move by move. ``room`` may be an id or a link."""
        room_id = room.id if isinstance(room, Room) else parse_link(room).room
        return await self._endpoints.get(f"/api/rooms/{quote(room_id, safe='')}/games/{number}", GameRecord)

    async def leave(self) -> None:
        """Leave every room and close every connection."""
        for room in self._rooms:
            await room.leave()
        for tournament in self._tournaments:
            await tournament.disconnect()
        await self._endpoints.close()

    def _room(self, answer: RoomAnswer) -> Room:
        return self._keep(answer.room, answer.url, answer.watch_url or answer.url, answer.invite)

    def _keep(self, view: View, url: str, watch_url: str, invite: str | None) -> Room:
        room = Room(socket_url(self.url), self._endpoints.token, view, url, watch_url, invite)
        self._rooms.append(room)
        return room


@asynccontextmanager
async def connect(
    url: str, *, name: str | None = None, token: str | None = None, bot: bool = False, guest: bool = True
) -> AsyncIterator[Client]:
    """Be a player on the server at ``url``: a new guest, or the player of a token.

    A program that plays makes its player with ``bot=True``, and the player stays a bot for good. With ``guest=False`` and
    no token there is no player: the client can watch, but not play. Raise :class:`ConnectError` if no Noughts server
    answers, :class:`Rejected` for an unknown token or an invalid name.
    """
    endpoints = Endpoints(server_url(url), token)
    client = Client(endpoints, None)
    try:
        if token is not None:
            player = (await endpoints.get("/api/players/me", PlayerAnswer)).player
            client = Client(endpoints, player)
            if name is not None and name != player.name:
                await client.rename(name)
        elif guest:
            answer = await endpoints.call("POST", "/api/players", PlayerAnswer, NewPlayer(name, bot or None))
            endpoints.token = answer.token
            client = Client(endpoints, answer.player)
        yield client
    finally:
        await client.leave()
