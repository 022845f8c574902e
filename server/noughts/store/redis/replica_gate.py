"""Answers and pushes: who takes them, and how they wait until the replicas have what they tell."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

AnswerReceiver: TypeAlias = Callable[[Any], None]
"""Takes an answer, or an exception: a ``RedisError`` that Redis answered with, or a :class:`LostError`."""


class PushReceiver(Protocol):
    """Takes messages in their order between answers. It is called by the reading task and must not wait."""

    def pushed(self, channel: bytes, payload: bytes) -> bool:
        """Take a message. Return whether a task was woken that must run before the next answer is delivered."""
        ...


def deliver(answered: AnswerReceiver, answer: Any) -> None:
    """Deliver an answer. A receiver that raises does not stop the others."""
    try:
        answered(answer)
    except Exception as error:
        context = {"message": "the receiver of a store's answer failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


class ReplicaGate:
    """Holds what was received until the replicas have it."""

    def __init__(self) -> None:
        self._entries: deque[tuple[AnswerReceiver | None, Any, Any]] = deque()
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

    def release(self, receiver: PushReceiver) -> None:
        """Deliver everything before the oldest barrier."""
        mark = self._marks.popleft()
        while self._released < mark:
            self._released += 1
            answered, first, second = self._entries.popleft()
            if answered is None:
                receiver.pushed(first, second)
            else:
                deliver(answered, first)

    def clear(self) -> list[AnswerReceiver]:
        """Drop everything. Return those that still expect an answer."""
        expecting = [answered for answered, _, _ in self._entries if answered is not None]
        self._entries.clear()
        self._marks.clear()
        self._received = self._released = self.coming = 0
        return expecting
