"""The newest names of recently renamed players, for commands that were sent under the old name and still wait."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from noughts.room.commands import Request
from noughts.room.seat import Person

MAX_NAMES: Final = 10_000


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
        return self._people.get(person.player, person)

    def in_request(self, request: Request) -> Request:
        """Return a request with the newest name of its player."""
        person = self._people.get(request.by.player)
        return request if person is None else Request(person, request.command)
