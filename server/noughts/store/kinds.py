"""The kinds of machines that a store keeps. A store makes what is missing for each of them when it opens."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

ROOM: Final = "room"
KINDS: Final = (ROOM,)
GAMES_KEPT: Final = 100
GAMES_BYTES: Final = 128 * 1024


class RecordLimits(NamedTuple):
    """The most records kept for a value, the newest ones, and their bytes apart from the newest record."""

    most: int
    most_bytes: int


RECORD_LIMITS: Final[Mapping[str, RecordLimits]] = MappingProxyType({ROOM: RecordLimits(GAMES_KEPT, GAMES_BYTES)})
"""The limits of each kind that has some. A room's records are its finished games."""
