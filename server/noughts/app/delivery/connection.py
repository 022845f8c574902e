"""One WebSocket from its handshake to its end: reads a client's frames, and sends it messages."""

from __future__ import annotations

import asyncio
from typing import Protocol

import structlog
from websockets.frames import Opcode

from noughts.app.delivery.frames import MAX_SHORT, BrokenFrameError, FrameReader
from noughts.app.delivery.sender import Flusher, Sender, State, reset
from noughts.app.runtime.limits import FRAME_BYTES, PIECE, ByteMeter
from noughts.protocol.close_codes import FAULT, POLICY
from noughts.room.seat import Person

try:
    from websockets.speedups import apply_mask
except ImportError:  # no compiled part for this platform
    from websockets.utils import apply_mask

log = structlog.get_logger()


class Receiver(Protocol):
    """Receives a client's frames as they arrive. An exception is a fault, which closes the connection."""

    def text_received(self, text: str) -> None: ...
    def ping_received(self, payload: bytes) -> None: ...
    def pong_received(self, payload: bytes) -> None: ...


class Connection(Sender):
    """A client's socket, and its player, None for a nameless spectator.

    It is the protocol of its transport once the handshake is over. ``receiver`` must be set before that.
    """

    __slots__ = (
        "_drops",
        "_frames",
        "_meter",
        "_pauses",
        "_rest_s",
        "address",
        "crowd_sent_ms",
        "ended",
        "failed",
        "person",
        "received_s",
        "receiver",
        "since_s",
        "timed",
        "token_hash",
        "visible",
    )

    def __init__(
        self, line: asyncio.Transport, flusher: Flusher, address: str, now_s: float, meter: ByteMeter | None = None
    ) -> None:
        super().__init__(line, flusher)
        self.receiver: Receiver
        self.address = address
        self.person: Person | None = None
        self.token_hash: bytes | None = None
        """The hash of the token that the client gave."""
        self.since_s = self.received_s = now_s
        """When the client last sent anything."""
        self.timed = False
        """Whether the client's room has a clock, so that the client's lag is measured."""
        self.visible = True
        """Whether the player sees the page, as the client said last."""
        self.crowd_sent_ms = 0
        """When the client was last sent the crowd of its room, or the lobby."""
        self.failed = False
        """Whether a frame of the client met a fault of the server."""
        self.ended = asyncio.get_running_loop().create_future()
        """Is done when the TCP connection has ended."""
        self._meter = meter
        self._frames: FrameReader | None = None
        """Reads what is more than one short text, until all of it is read."""
        self._pauses = 0
        """Reasons for which no frame is read now."""
        self._rest_s = 0.0
        self._drops = False
        """Whether everything that the client still sends is dropped."""

    # --- reading ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Take bytes of the client.

        Almost always they are one short text and nothing else. Between messages such a text is read without a reader, which
        would take more than twice as long.
        """
        if self._drops:
            return
        if self._frames is None:
            size = len(data) - 6
            if 0 <= size <= MAX_SHORT and data[0] == 0x81 and data[1] == 0x80 | size and not self._pauses:
                try:
                    text = apply_mask(data[6:], data[2:6]).decode()
                except UnicodeDecodeError:
                    pass  # the reader finds it again, and closes
                else:
                    try:
                        self.receiver.text_received(text)
                    except Exception:
                        self._failed()
                    if self._meter is not None:
                        self.rest(self._meter.charge(len(data) + FRAME_BYTES))
                    if self._rest_s:
                        self._begin_rest()
                    return
            self._frames = FrameReader()
        self._frames.feed(data)
        if not self._pauses:
            self._read_piece(self._frames)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the connection, whose client is gone."""
        self._drops, self._pauses = True, 0
        self.stop()
        if not self.ended.done():
            self.ended.set_result(None)

    def _read_piece(self, frames: FrameReader) -> None:
        """Pass on the frames in a piece of what has arrived. The rest waits for a later turn of the event loop."""
        before, count = frames.unread, 0
        try:
            while not (self._pauses or self._drops) and (frame := frames.next_frame()) is not None:
                count += 1
                kind, content = frame
                if kind is Opcode.TEXT:
                    self.receiver.text_received(content)
                elif kind is Opcode.PING:
                    self.receiver.ping_received(content)
                elif kind is Opcode.PONG:
                    self.receiver.pong_received(content)
                elif kind is Opcode.BINARY:
                    self.close(POLICY, "text frames only")
                elif kind is Opcode.CLOSE:
                    self.close(content, "")
                if frames.unread and before - frames.unread >= PIECE:
                    self.pause()
                    asyncio.get_running_loop().call_soon(self.resume)
        except BrokenFrameError as error:
            self.close(error.code, error.reason)
        except Exception:
            self._failed()
        if frames.between:
            self._frames = None
        if self._meter is not None:
            self.rest(self._meter.charge(before - frames.unread + count * FRAME_BYTES))
        if self._rest_s:
            self._begin_rest()

    def _failed(self) -> None:
        log.exception("a frame failed")
        self.failed = True
        self.close(FAULT, "the server has a fault: come back")

    def pause(self) -> None:
        """Read no frame of the client until :meth:`resume`. Each pause needs a resume of its own."""
        if not self._drops:
            self._pauses += 1
            if self._pauses == 1:
                self.line.pause_reading()

    def rest(self, seconds: float) -> None:
        """Read nothing for some seconds after the present piece."""
        self._rest_s = max(self._rest_s, seconds)

    def _begin_rest(self) -> None:
        self.pause()
        asyncio.get_running_loop().call_later(self._rest_s, self.resume)
        self._rest_s = 0.0

    def resume(self) -> None:
        """End a pause."""
        if not self._drops:
            self._pauses -= 1
            if not self._pauses and self._frames is not None:
                self._read_piece(self._frames)
            if not self._pauses:
                self.line.resume_reading()

    def _drop(self) -> None:
        """Drop everything that the client still sends.

        It is read all the same: unread bytes would make the kernel reset the connection, and the client would lose our Close
        frame.
        """
        self._drops, self._frames = True, None
        if self._pauses:
            self._pauses = 0
            self.line.resume_reading()

    # --- the end ------------------------------------------------------------------------------------------------

    def close(self, code: int, reason: str) -> None:
        """Write the pending frames and a Close frame. Neither send nor accept anything from now on."""
        if self.state == "open":
            self._flusher.flush()
            self.end("closing", code, reason)

    def end(self, state: State, code: int, reason: str) -> None:
        """Write a Close frame and nothing more, and drop what the client still sends."""
        self._drop()
        super().end(state, code, reason)

    def abort(self) -> None:
        """Drop the connection at once."""
        reset(self.line)
