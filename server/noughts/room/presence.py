"""Presence: which players of a room are connected. It is passed to a step beside the room and is never stored in it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from noughts.values import Value

_NOBODY: Final[Mapping[str, int]] = MappingProxyType({})


class Presence(Value):
    """The presence of a room's seat holders and owner, keyed by player, and how many connections there are in all.

    ``away`` holds the players of the room who are not connected, each with the time since when. ``lag_ms`` is the
    network's measured share of one move of a player. ``last_left_ms`` is when the last connection closed, 0 if none ever
    did.
    """

    away: Mapping[str, int] = _NOBODY
    lag_ms: Mapping[str, int] = _NOBODY
    connections: int = 0
    last_left_ms: int = 0

    def away_since_ms(self, player: str) -> int | None:
        """Return since when a player is away; None for one who is connected."""
        return self.away.get(player)

    def is_here(self, player: str) -> bool:
        """Return whether a player is connected."""
        return player not in self.away

    def lag_of(self, player: str) -> int:
        """Return the network's share of a move of this player, in milliseconds."""
        return self.lag_ms.get(player, 0)


NO_PRESENCE: Final = Presence()
"""A room that is looked at without regard to who is connected."""
