"""The sending half of a WebSocket. A caller never waits for the client.

A message is framed once, and the same bytes go to every connection of an audience. While a client reads, its frames are
written in one piece at the end of each turn of the event loop. While it does not read, they wait in an outbox that keeps
only the newest view, and after :data:`~noughts.app.runtime.limits.SLOW_S` the client is cut.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from contextlib import suppress
from typing import Final, Literal, TypeAlias

from websockets.frames import Opcode

from noughts.app.delivery.frames import MAX_SHORT
from noughts.app.runtime.limits import CLOSE_S, FULL_BYTES, MAX_OUTBOX, SLOW_S
from noughts.protocol.close_codes import TOO_SLOW

Kind: TypeAlias = Literal["view", "crowd", "lobby", "other"]
"""In the outbox, a newer message replaces the older one of its kind, except for the kind ``other``."""
State: TypeAlias = Literal["open", "closing", "cut"]
"""Once it is closing, our Close frame is sent. A client that did not read is cut."""

LAGS_KEPT: Final = 5
"""How many round trips count for a client's lag: those of the last 25 seconds, for a player on a clock."""
_POLL_S: Final = 0.1
"""How often a sender looks whether a client that did not read reads again."""
_NONCE_BYTES: Final = 8
_NO_LINGER: Final = struct.pack("ii", 1, 0)
_longer_head: Final = struct.Struct(">HH").pack

# --- frames: without a mask, so one frame serves every client -------------------------------------------------------


def text_frame(payload: bytes) -> bytes:
    """Return one unfragmented text frame::

    0x81 | length, 7 bits                 up to 125 bytes
    0x81 | 126 | length, 16 bits          up to 65,535
    0x81 | 127 | length, 64 bits          beyond
    """
    size = len(payload)
    if size <= MAX_SHORT:
        return bytes((0x81, size)) + payload
    if size < 65_536:
        return _longer_head(0x817E, size) + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def control_frame(opcode: Opcode, payload: bytes) -> bytes:
    """Return a Ping, Pong or Close frame. A longer payload than 125 bytes is cut."""
    payload = payload[:MAX_SHORT]
    return bytes((0x80 | opcode, len(payload))) + payload


def close_frame(code: int, reason: str) -> bytes:
    """Return a Close frame with a close code and a reason."""
    return control_frame(Opcode.CLOSE, code.to_bytes(2, "big") + reason.encode())


# --- a connection ---------------------------------------------------------------------------------------------------


def reset(line: asyncio.Transport) -> None:
    """Drop a connection, and what the kernel still holds for a client that does not read it.

    After a mere abort the kernel would offer that to the client for minutes.
    """
    with suppress(OSError, ValueError):  # uvloop raises ValueError where the descriptor is closed
        descriptor = line.get_extra_info("socket")
        if descriptor is not None:
            descriptor.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    line.abort()


class Flusher:
    """Writes what is pending for each connection of this node in one piece, at the end of each turn of the event loop.

    So an answer and a view that a client gets in one turn cost one system call.
    """

    __slots__ = ("senders",)

    def __init__(self) -> None:
        self.senders: list[Sender] = []
        """The connections to flush. Their first one plans the call of :meth:`flush`."""

    def flush(self) -> None:
        """Write what is pending now."""
        senders, self.senders = self.senders, []
        for sender in senders:
            pending, sender.pending = sender.pending, b""
            if not sender.line.is_closing():
                sender.line.write(pending)


class Sender(asyncio.Protocol):
    """Sends frames to one client, and measures its lag."""

    __slots__ = ("_flusher", "_lags_ms", "_outbox", "_ping", "_timer", "lag_ms", "line", "pending", "state")

    def __init__(self, line: asyncio.Transport, flusher: Flusher) -> None:
        self.state: State = "open"
        self.lag_ms: int | None = None
        """The shortest of the last measured round trips: the network's part of them, without any delay. None without one."""
        self.line = line
        self._flusher = flusher
        self.pending = b""
        """The frames of this turn, for the flusher."""
        self._outbox: list[tuple[Kind, bytes]] | None = None
        """The messages that wait for a client that does not read. A task looks after them."""
        self._timer: asyncio.TimerHandle | None = None
        """Drops a client that is slow to end its connection."""
        self._ping: tuple[bytes, float] | None = None
        self._lags_ms: tuple[int, ...] = ()

    def send(self, payload: bytes) -> None:
        """Send a message that no newer one replaces: an answer, a welcome, a chat line."""
        self.push(text_frame(payload), "other")

    def push(self, frame: bytes, kind: Kind) -> None:
        """Send a frame, or keep it until the client reads."""
        if self.pending:
            self.pending += frame
        elif self._outbox is not None or self.state != "open" or self.line.get_write_buffer_size() >= FULL_BYTES:
            self._keep(frame, kind)
        else:
            self.pending, flusher = frame, self._flusher
            if not flusher.senders:
                asyncio.get_running_loop().call_soon(flusher.flush)
            flusher.senders.append(self)

    def _keep(self, frame: bytes, kind: Kind) -> None:
        if self.state != "open" or self.line.is_closing():
            return
        if self._outbox is None:
            self._outbox = []
            asyncio.get_running_loop().create_task(self._wait_for_reader())
        if kind != "other":
            self._outbox = [waiting for waiting in self._outbox if waiting[0] != kind]
        self._outbox.append((kind, frame))
        if len(self._outbox) > MAX_OUTBOX:
            self.end("cut", TOO_SLOW, "too slow to read")

    async def _wait_for_reader(self) -> None:
        """Write the outbox once the client reads again; cut the client when it has not read for too long."""
        left_s, before = SLOW_S, self.line.get_write_buffer_size()
        while self._outbox is not None and not self.line.is_closing():
            size = self.line.get_write_buffer_size()
            if size < FULL_BYTES:
                outbox, self._outbox = self._outbox, None
                for kind, frame in outbox:
                    self.push(frame, kind)
                return
            left_s = SLOW_S if size < before else left_s - _POLL_S
            before = size
            if left_s <= 0:
                self.end("cut", TOO_SLOW, "too slow to read")
                return
            await asyncio.sleep(_POLL_S)

    # --- signs of life ------------------------------------------------------------------------------------------

    def ping(self, now_s: float) -> None:
        """Send a Ping (RFC 6455, section 5.5.2), unless the last one is still unanswered.

        The payload is random, so a client cannot answer a ping it has not received.
        """
        if self.state == "open" and self._ping is None and self._outbox is None and not self.line.is_closing():
            nonce = os.urandom(_NONCE_BYTES)
            self._ping = (nonce, now_s)
            self.line.write(control_frame(Opcode.PING, nonce))

    def pong(self, payload: bytes) -> None:
        """Answer a client's Ping."""
        self.push(control_frame(Opcode.PONG, payload), "other")

    def pong_received(self, payload: bytes, now_s: float) -> bool:
        """Take a Pong. Return whether it answers our Ping; if so, the round trip counts for ``lag_ms``."""
        ping = self._ping
        if ping is None or payload != ping[0]:
            return False
        self._ping = None
        self._lags_ms = (*self._lags_ms, int((now_s - ping[1]) * 1000))[-LAGS_KEPT:]
        self.lag_ms = min(self._lags_ms)
        return True

    # --- the end ------------------------------------------------------------------------------------------------

    def end(self, state: State, code: int, reason: str) -> None:
        """Write a Close frame and nothing more. A client that does not end its connection then is dropped.

        A client that is cut may read again before that.
        """
        self.state = state
        self.stop()
        if not self.line.is_closing():
            self.line.write(close_frame(code, reason))
            with suppress(OSError):  # the client has reset the connection
                self.line.write_eof()
            self._timer = asyncio.get_running_loop().call_later(CLOSE_S, reset, self.line)

    def stop(self) -> None:
        """Drop what waits for the client, and wait for nothing more."""
        self._outbox = None
        if self._timer is not None:
            self._timer.cancel()
