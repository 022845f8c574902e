"""The newest names of recently renamed players, for commands that were sent under the old name and still wait."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec.structs import replace

from noughts.room.commands import Request
from noughts.room.seat import Person

MAX_NAMES: Final = 1_000
"""The most names kept. A command waits for seconds at most, so older ones are needed no more."""


class RecentNames:
    """The newest name of each player who was renamed on any node. The least recently renamed are evicted."""

    def __init__(self) -> None:
        self._people: OrderedDict[str, Person] = OrderedDict()

    def renamed(self, person: Person) -> None:
        """Note a player's new name."""
        self._people[person.player] = person
        self._people.move_to_end(person.player)
        if len(self._people) > MAX_NAMES:
            self._people.popitem(last=False)

    def current(self, person: Person) -> Person:
        """Return a player with the newest name."""
        newest = self._people.get(person.player)
        return person if newest is None else replace(person, name=newest.name)

    def in_request(self, request: Request) -> Request:
        """Return a request with the newest name of its player."""
        newest = self._people.get(request.by.player)
        return request if newest is None else Request(self.current(request.by), request.command)
