"""The newest names of recently renamed players, for requests that were read from the store under the old name."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec.structs import replace

from noughts.room.seat import Person

MAX_NAMES: Final = 1_000
"""The most names kept. A request takes seconds at most, so older ones are needed no more."""


class RecentNames:
    """The newest name of each player who was renamed on any node. The least recently renamed are evicted."""

    def __init__(self, *, most: int = MAX_NAMES) -> None:
        self._most = most
        self._people: OrderedDict[str, Person] = OrderedDict()

    def renamed(self, person: Person) -> None:
        """Note a player's new name."""
        self._people[person.player] = person
        self._people.move_to_end(person.player)
        if len(self._people) > self._most:
            self._people.popitem(last=False)

    def current(self, person: Person) -> Person:
        """Return a player with the newest name."""
        newest = self._people.get(person.player)
        return person if newest is None else replace(person, name=newest.name)
