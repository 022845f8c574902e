"""Reads the finished matches of a tournament, and their games and rooms after the rooms themselves are gone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from noughts.app.machines.repository import Repository
from noughts.errors import Rejection
from noughts.room.match_play import match_room
from noughts.room.room import Room, RoomGame, RoomMatch, closed_room
from noughts.room.storage import game_from
from noughts.rules.by_mark import ByMark
from noughts.rules.variant import variant_named
from noughts.tournament.match_rooms import MatchKey, match_of_room
from noughts.tournament.match_rooms import match_room as match_room_id
from noughts.tournament.storage import game_row, match_from, match_row
from noughts.tournament.tournament import Match, Tournament

MATCHES_OF_PAGE: Final = 100


class MatchRecords:
    """The records of tournaments."""

    def __init__(self, tournaments: Repository[Tournament]) -> None:
        self._tournaments = tournaments

    async def match(self, tournament: str, number: int) -> Match | None:
        """Return a finished match; None for any other."""
        data = await self._tournaments.store.record(tournament, match_row(number))
        return None if data is None else match_from(data)

    async def matches(self, value: Tournament, after: int) -> list[Match]:
        """Return a page of the matches after a number, those that are on among them."""
        numbers = range(after + 1, min(after + MATCHES_OF_PAGE, value.match_count) + 1)
        on = {match.number: match for match in value.matches}
        rows = await self._tournaments.store.records(value.id, [match_row(number) for number in numbers])
        stored = {number: match_from(row) for number, row in zip(numbers, rows, strict=True) if row is not None}
        page = [stored.get(number) or on.get(number) for number in numbers]
        return [match for match in page if match is not None]

    async def all_matches(self, value: Tournament) -> list[Match]:
        """Return all matches."""
        matches: list[Match] = []
        for after in range(0, value.match_count, MATCHES_OF_PAGE):
            matches += await self.matches(value, after)
        return matches

    async def room(self, room_id: str) -> Room | None:
        """Return the room of a finished match as it was at its end; None for any other room."""
        place = await self._place(room_id)
        if place is None:
            return None
        value, match = place
        games = [game for number in range(1, len(match.games) + 1) if (game := await self._game(value, match, number))]
        return _room_of(room_id, value, match, games)

    async def game(self, room_id: str, number: int) -> RoomGame | None:
        """Return a game of a finished match; None for any other."""
        place = await self._place(room_id)
        return None if place is None else await self._game(*place, number)

    async def _place(self, room_id: str) -> tuple[Tournament, Match] | None:
        key = match_of_room(room_id)
        value = None if key is None else await self._load(key)
        if key is None or value is None or match_room_id(value.secret, key) != room_id:
            return None
        match = await self.match(key.tournament, key.match)
        return None if match is None or not match.second else (value, match)

    async def _load(self, key: MatchKey) -> Tournament | None:
        with suppress(Rejection):
            return await self._tournaments.load(key.tournament)
        return None

    async def _game(self, value: Tournament, match: Match, number: int) -> RoomGame | None:
        return await self.ended_game(value.id, match.number, number) if 1 <= number <= len(match.games) else None

    async def ended_game(self, tournament: str, match: int, number: int) -> RoomGame | None:
        """Return a game that has ended, also of a match that is on; None for any other."""
        data = await self._tournaments.store.record(tournament, game_row(match, number))
        return None if data is None else game_from(data)


def _room_of(room_id: str, value: Tournament, match: Match, games: Sequence[RoomGame]) -> Room:
    """Return the closed room of a match with the last of its games."""
    first, second = [value.entrant(number).seated for number in match.sides]
    room = match_room(
        room_id=room_id,
        match=RoomMatch(value.id, match.number, value.games, value.chat),
        host=value.host,
        players=ByMark(first, second) if len(games) != 2 else ByMark(second, first),
        variant=variant_named(value.variant),
        clock=value.clock,
        now_ms=match.began_ms,
    )
    room = replace(room, version=len(games) + 1, game=games[-1] if games else None, games=len(games))
    return closed_room(room)
