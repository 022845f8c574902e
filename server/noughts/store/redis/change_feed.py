"""What other nodes send to this one: changes and presence of the rooms that it holds, notices, and deaths of nodes."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Final

from noughts.store.redis.encoding import change_from_message, presence_from_message
from noughts.store.relay import Message, NodeDied, Notice, Reconnected

MAX_MESSAGES: Final = 20_000
"""With more unread messages, all are dropped: the node reads everything again instead."""


class ChangeFeed:
    """The messages that this node has yet to act on, in the order of Redis."""

    def __init__(self, node: str, max_messages: int = MAX_MESSAGES) -> None:
        self._node = node
        self._max_messages = max_messages
        self._messages: deque[Message] = deque()
        self._waiting: asyncio.Future[None] | None = None

    async def received(self) -> Message:
        """Wait for the next message. One task may wait."""
        while not self._messages:
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._messages.popleft()

    @property
    def acting(self) -> bool:
        """Whether the task that waits for messages was woken, and has not run yet."""
        return self._waiting is not None and self._waiting.done()

    def pushed(self, channel: bytes, payload: bytes) -> None:
        """Take a message. Raise ValueError for one that cannot be read."""
        message = self._message(payload)
        if message is not None:
            self._put(message)

    def reconnected(self) -> None:
        """Tell the node that it may have missed messages."""
        self._put(Reconnected())

    def _put(self, message: Message) -> None:
        if len(self._messages) >= self._max_messages:
            self._messages.clear()
            message = Reconnected()
        self._messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _message(self, payload: bytes) -> Message | None:
        """Return a message, None for this node's own and for those that a newer release understands."""
        letter = payload[:1]
        if letter in (b"c", b"k"):
            return change_from_message(payload)
        if letter == b"p":
            return presence_from_message(payload)
        if letter == b"n":
            sender, kind, subject, text = json.loads(payload[1:])
            return None if sender == self._node else Notice(kind, subject, text)
        if letter == b"d":
            end_ms, _, node = payload[1:].decode().partition(" ")
            return None if node == self._node else NodeDied(node, int(end_ms))
        return None


def notice_message(sender: str, notice: Notice) -> bytes:
    """Return a notice as a message to all nodes."""
    return b"n" + json.dumps([sender, *notice], ensure_ascii=False).encode()
