"""The ids of the rooms of matches. Each follows from its match, so making a room twice is harmless."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import Final, NamedTuple

_START: Final = "m"
"""The first letter of the id of such a room. No id begins with a dash."""
_HASH: Final = 18
"""Letters of the hash: 108 bits."""
_NUMBER: Final = 5
"""Hexadecimal digits of the number of the match."""


class MatchKey(NamedTuple):
    """A match: its tournament, and its number in the tournament."""

    tournament: str
    match: int


def match_room(secret: bytes, key: MatchKey) -> str:
    """Return the id of a match's room. Only a holder of the tournament's secret can compute it."""
    digest = blake2b(f"{key.tournament} {key.match}".encode(), key=secret, digest_size=16).digest()
    return f"{_START}{urlsafe_b64encode(digest).decode()[:_HASH]}{key.match:0{_NUMBER}x}{key.tournament}"


def match_of_room(room: str) -> MatchKey | None:
    """Return the match that a room's id names; None for the id of any other room. The hash is not checked."""
    number, tournament = room[1 + _HASH : 1 + _HASH + _NUMBER], room[1 + _HASH + _NUMBER :]
    if not room.startswith(_START) or not tournament or any(digit not in "0123456789abcdef" for digit in number):
        return None
    return MatchKey(tournament, int(number, 16))
