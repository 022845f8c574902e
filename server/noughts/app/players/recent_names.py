"""The players who were lately renamed: a command that was sent under the old name may still wait for its room."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from noughts.room.commands import Request
from noughts.room.seat import Person

MAX_NAMES: Final = 10_000


class RecentNames:
    """The newest name of each player who was renamed on any node, the least recent evicted."""

    def __init__(self) -> None:
        self._people: OrderedDict[str, Person] = OrderedDict()

    def renamed(self, person: Person) -> None:
        """Note a player's new name."""
        self._people[person.player] = person
        self._people.move_to_end(person.player)
        if len(self._people) > MAX_NAMES:
            self._people.popitem(last=False)

    def current(self, person: Person) -> Person:
        """Return a player under the newest name."""
        return self._people.get(person.player, person)

    def in_request(self, request: Request) -> Request:
        """Return a request by the player under the newest name."""
        person = self._people.get(request.by.player)
        return request if person is None else Request(person, request.command)
