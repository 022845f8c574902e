"""The ids of commands that were answered ok in one room, so that one sent again has no second effect."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import Final, TypeAlias

REMEMBERED: Final = 64
"""Of each player so many are remembered at least."""

Key: TypeAlias = tuple[str, str]
"""A player and the id of a command."""


class Answered:
    """What was answered ok, oldest first; the store holds the same."""

    __slots__ = ("_of_player", "_versions")

    def __init__(self, stored: Iterable[tuple[str, str, int]] = ()) -> None:
        self._versions: OrderedDict[Key, int] = OrderedDict(((player, cid), version) for player, cid, version in stored)
        self._of_player = Counter(player for player, _ in self._versions)

    def version(self, key: Key) -> int | None:
        """The version that a command was answered with; None for one that was not."""
        return self._versions.get(key)

    def too_old(self, player: str) -> tuple[Key, ...]:
        """Of a player with twice as many as must be remembered, the older half: to forget with the next change."""
        if self._of_player[player] < 2 * REMEMBERED:
            return ()
        own = [key for key in self._versions if key[0] == player]
        return tuple(own[: len(own) - REMEMBERED])

    def add(self, key: Key, version: int, forgotten: Iterable[Key]) -> None:
        """Take over what was stored, and what was forgotten with it."""
        for old in forgotten:
            if self._versions.pop(old, None) is not None:
                self._of_player[old[0]] -= 1
        if key not in self._versions:
            self._of_player[key[0]] += 1
        self._versions[key] = version
