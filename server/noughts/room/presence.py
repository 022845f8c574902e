"""Presence: which players of a room are connected. A step takes it as an argument, and no room stores it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from noughts.values import Value

_NO_PLAYERS: Final[Mapping[str, int]] = MappingProxyType({})


class Presence(Value):
    """The presence of a room's seat holders and owner, by player, and the number of all connections to the room.

    ``away`` holds the players who are not connected, each with the time at which the absence began. ``hidden`` holds those
    who are connected, but do not see the page of the room on any device. ``lag_ms`` holds the measured lag of one move of
    each player. ``last_left_ms`` is when a connection last closed, 0 if none has. The node has observed all this since
    ``since_ms``, None if that is not known.
    """

    away: Mapping[str, int] = _NO_PLAYERS
    lag_ms: Mapping[str, int] = _NO_PLAYERS
    connections: int = 0
    last_left_ms: int = 0
    since_ms: int | None = None
    hidden: frozenset[str] = frozenset()

    def away_since_ms(self, player: str) -> int | None:
        """Return the time at which a player's absence began; None for a player who is connected."""
        return self.away.get(player)

    def is_here(self, player: str) -> bool:
        """Return whether a player is connected."""
        return player not in self.away

    def lag_of(self, player: str) -> int:
        """Return the lag of one move of this player, in milliseconds."""
        return self.lag_ms.get(player, 0)


NO_PRESENCE: Final = Presence()
"""For a room that is read without regard to its connections: no player counts as away."""
