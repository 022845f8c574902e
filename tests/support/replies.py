"""Commands submitted to a room, and the answers to them."""

from __future__ import annotations

from collections.abc import Awaitable

from noughts.app.rooms.on_node import RoomOnNode
from noughts.errors import Code, Rejection
from noughts.room.commands import Request, RoomCommand
from noughts.room.seat import Person


class Answer:
    """The answer to one command, once it has come."""

    def __init__(self, order: list[Answer] | None = None) -> None:
        self.version: int | None = None
        self.rejection: Rejection | None = None
        self.count = 0
        """How often an answer came: once, in the end."""
        self._order = order

    @property
    def code(self) -> Code | None:
        """The code of the rejection, if it is one."""
        return None if self.rejection is None else self.rejection.code

    def __call__(self, answer: int | Rejection) -> None:
        if isinstance(answer, Rejection):
            self.rejection = answer
        else:
            self.version = answer
        self.count += 1
        if self._order is not None:
            self._order.append(self)


def submit(actor: RoomOnNode, person: Person, command: RoomCommand, order: list[Answer] | None = None) -> Answer:
    """Submit a player's command now. Answers are appended to ``order`` as they come."""
    answer = Answer(order)
    actor.submit(Request(person, command), (person.player, command.id), answer)
    return answer


async def code_of(answer: Awaitable[object]) -> Code | None:
    """Wait for an answer; return its code if it is a rejection."""
    try:
        await answer
    except Rejection as rejection:
        return rejection.code
    return None
