"""Rooms and games as schema 1 stored them, and how they become bytes of :mod:`noughts.room.storage`.

Schema 1 wrote a room as a map of its fields, and left out fields with their default value. Seats and clocks had one field
for each mark, declined offers were called ``refused``, and the moves of a game ``play``.
"""

from __future__ import annotations

from typing import Final

import msgspec

from noughts.room.clock import ClockSetting
from noughts.room.commands import SpectatorChat, Visibility
from noughts.room.room import DeclinedOffer, Join, OpenOffer, Room, RoomGame, Score
from noughts.room.seat import Person, Seat
from noughts.room.storage import game_bytes, read_history, room_bytes
from noughts.rules.by_mark import ByMark
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, Outcome
from noughts.values import Value


class _GameV1(Value):
    number: int
    play: Game
    x: Seat
    o: Seat
    started_ms: int
    turn_since_ms: int
    x_ms: int = 0
    o_ms: int = 0
    by: tuple[str, ...] = ()
    at_ms: tuple[int, ...] = ()
    outcome: Outcome | None = None
    ended_ms: int = 0
    stand_in: bool = False


class _RoomV1(Value):
    id: str
    version: int
    variant: str
    visibility: Visibility
    owner: Person
    created_ms: int
    used_ms: int
    invite: str | None = None
    join: Join | None = None
    x: Seat | None = None
    o: Seat | None = None
    game: _GameV1 | None = None
    games: int = 0
    clock: ClockSetting | None = None
    offers: tuple[OpenOffer, ...] = ()
    declined: tuple[DeclinedOffer, ...] = msgspec.field(name="refused", default=())
    score: tuple[Score, ...] = ()
    draws: int = 0
    claimable: tuple[Mark, ...] = ()
    muted: tuple[str, ...] = ()
    spectator_chat: SpectatorChat = "always"
    closed: bool = False


_room: Final = msgspec.msgpack.Decoder(_RoomV1, dec_hook=read_history)
_game: Final = msgspec.msgpack.Decoder(_GameV1, dec_hook=read_history)


def upgrade_room(data: bytes) -> bytes:
    """Return a room of schema 1 as today's bytes. Raise ``msgspec.DecodeError`` for any other bytes."""
    room = _room.decode(data)
    return room_bytes(
        Room(
            id=room.id,
            version=room.version,
            variant=room.variant,
            visibility=room.visibility,
            owner=room.owner,
            created_ms=room.created_ms,
            used_ms=room.used_ms,
            invite=room.invite,
            join=room.join,
            seats=ByMark(room.x, room.o),
            game=None if room.game is None else _upgraded(room.game),
            games=room.games,
            clock=room.clock,
            offers=room.offers,
            declined=room.declined,
            score=room.score,
            draws=room.draws,
            claimable=room.claimable,
            muted=room.muted,
            spectator_chat=room.spectator_chat,
            closed=room.closed,
        )
    )


def upgrade_game(data: bytes) -> bytes:
    """Return a finished game of schema 1 as today's bytes. Raise ``msgspec.DecodeError`` for any other bytes."""
    return game_bytes(_upgraded(_game.decode(data)))


def _upgraded(game: _GameV1) -> RoomGame:
    return RoomGame(
        number=game.number,
        history=game.play,
        players=ByMark(game.x, game.o),
        started_ms=game.started_ms,
        turn_since_ms=game.turn_since_ms,
        left_ms=ByMark(game.x_ms, game.o_ms),
        by=game.by,
        at_ms=game.at_ms,
        outcome=game.outcome,
        ended_ms=game.ended_ms,
        stand_in=game.stand_in,
    )
