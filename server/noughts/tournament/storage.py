"""A tournament and its finished matches as bytes, for a store, and back."""

from __future__ import annotations

from typing import Final

import msgspec

from noughts.room.room import RoomGame
from noughts.room.storage import game_from
from noughts.tournament.tournament import Match, Tournament

ROWS_OF_MATCH: Final = 4
"""Numbers of rows that belong to a match: the match itself, then its games."""

_encode: Final = msgspec.msgpack.Encoder().encode
_tournament: Final = msgspec.msgpack.Decoder(Tournament)
_match: Final = msgspec.msgpack.Decoder(Match)


def tournament_bytes(tournament: Tournament) -> bytes:
    """Return a tournament as bytes."""
    return _encode(tournament)


def tournament_from(data: bytes) -> Tournament:
    """Return the tournament that :func:`tournament_bytes` wrote. Raise ``msgspec.DecodeError``."""
    return _tournament.decode(data)


def match_bytes(match: Match) -> bytes:
    """Return a match as bytes."""
    return _encode(match)


def match_from(data: bytes) -> Match:
    """Return the match that :func:`match_bytes` wrote. Raise ``msgspec.DecodeError``."""
    return _match.decode(data)


def row_from(data: bytes) -> Match | RoomGame:
    """Return the finished match or the game in a row of a tournament. Raise ``msgspec.DecodeError`` for other bytes."""
    try:
        return match_from(data)
    except msgspec.ValidationError:
        return game_from(data)


def used_ms_in(data: bytes) -> int:
    """Return the time of a tournament's last change; 0 if it cannot be decoded."""
    try:
        return tournament_from(data).used_ms
    except msgspec.DecodeError:
        return 0


def match_row(match: int) -> int:
    """Return the number of a match's row."""
    return match * ROWS_OF_MATCH


def game_row(match: int, game: int) -> int:
    """Return the number of the row of a game of a match."""
    return match * ROWS_OF_MATCH + game
