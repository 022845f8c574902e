"""The kinds of machines that a store keeps. A store makes what is missing for each of them when it opens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from noughts.room.storage import game_from, room_from, used_ms_in
from noughts.tournament.storage import row_from, tournament_from
from noughts.tournament.storage import used_ms_in as tournament_used_ms_in

ROOM: Final = "room"
TOURNAMENT: Final = "tournament"
GAMES_KEPT: Final = 100
GAMES_BYTES: Final = 128 * 1024


class RecordLimits(NamedTuple):
    """The most records kept for a value, the newest ones, and their bytes apart from the newest record."""

    most: int
    most_bytes: int


class Kind(NamedTuple):
    """One kind of machine, as far as a store reads it.

    ``decode`` and ``decode_record`` raise any exception for bytes that are damaged. ``used_ms`` returns the time of the last
    change of a value, 0 for bytes that it cannot decode. ``record_limits`` is None if all records are kept.
    """

    name: str
    decode: Callable[[bytes], object]
    decode_record: Callable[[bytes], object]
    used_ms: Callable[[bytes], int]
    record_limits: RecordLimits | None = None


KINDS: Final = (
    Kind(ROOM, room_from, game_from, used_ms_in, RecordLimits(GAMES_KEPT, GAMES_BYTES)),
    Kind(TOURNAMENT, tournament_from, row_from, tournament_used_ms_in),
)
"""All kinds. A room's records are its finished games, a tournament's its finished matches and their games."""
RECORD_LIMITS: Final[Mapping[str, RecordLimits | None]] = MappingProxyType(
    {kind.name: kind.record_limits for kind in KINDS}
)
