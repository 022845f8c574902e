"""Receivers of answers and pushes, and the gate that holds both until the replicas have the changes that they report."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

AnswerReceiver: TypeAlias = Callable[[Any], None]
"""Takes an answer, or an exception: a ``ReplyError`` of Redis, or a :class:`LostError`."""


HeldEntry: TypeAlias = tuple[AnswerReceiver | None, Any, Any]
"""The receiver, the answer and nothing; or, for a push, no receiver, the channel and the message."""


class PushReceiver(Protocol):
    """Takes messages in their order between answers. It must not wait."""

    @property
    def acting(self) -> bool:
        """Whether a task was woken that must run before the next answer is delivered, and has not run yet."""
        ...

    def pushed(self, channel: bytes, payload: bytes) -> None:
        """Take a message. Raise ValueError for one that cannot be read."""
        ...


def deliver(answered: AnswerReceiver, answer: Any) -> None:
    """Deliver an answer. A receiver that raises does not stop the others."""
    try:
        answered(answer)
    except Exception as error:
        context = {"message": "the receiver of a store's answer failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


def barrier_written(answer: Any) -> None:
    """Stand for the receiver of the answer to a barrier's write, which the connection reads itself."""


def barrier_confirmed(answer: Any) -> None:
    """Stand for the receiver of the answer to a barrier's WAIT, which the connection reads itself."""


def receivers_in(entries: Iterable[HeldEntry]) -> list[AnswerReceiver]:
    """Return those that expect an answer among entries."""
    return [answered for answered, _, _ in entries if answered is not None]


class ReplicaGate:
    """Holds what was received until the replicas have it."""

    def __init__(self) -> None:
        self._entries: deque[HeldEntry] = deque()
        self._marks: deque[int] = deque()
        self._received = 0
        self._released = 0
        self.coming = 0
        """Barriers that were sent and not yet written."""

    def hold_push(self, channel: bytes, payload: bytes) -> None:
        self._received += 1
        self._entries.append((None, channel, payload))

    def hold_answer(self, answered: AnswerReceiver, answer: Any) -> None:
        self._received += 1
        self._entries.append((answered, answer, None))

    def mark(self) -> None:
        """Note that everything so far was executed before the barrier."""
        self.coming -= 1
        self._marks.append(self._received)

    def released(self) -> Iterator[HeldEntry]:
        """Yield everything before the oldest barrier, once each. It ends early if the gate is cleared meanwhile."""
        mark = self._marks.popleft()
        while self._entries and self._released < mark:
            self._released += 1
            yield self._entries.popleft()

    def clear(self) -> list[AnswerReceiver]:
        """Drop everything. Return those that still expect an answer."""
        expecting = receivers_in(self._entries)
        self._entries.clear()
        self._marks.clear()
        self._received = self._released = self.coming = 0
        return expecting
