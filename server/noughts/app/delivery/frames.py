"""WebSocket frames (RFC 6455, section 5): how the server writes them, and how it reads a client's, without a network."""

from __future__ import annotations

from collections.abc import Generator
from struct import Struct
from typing import Any, Final, TypeAlias

from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Close, CloseCode, Frame, Opcode
from websockets.streams import StreamReader
from websockets.utils import apply_mask

from noughts.protocol.close_codes import INVALID_TEXT, PROTOCOL_ERROR, TOO_LARGE
from noughts.protocol.codec import MAX_FRAME

MAX_CONTROL_PAYLOAD: Final = 125
_SHORT_HEADS: Final = tuple([bytes((0x81, size)) for size in range(126)])
_longer_head: Final = Struct(">HH").pack

# --- frames of the server: without a mask, so one frame serves every client -----------------------------------------


def text_frame(payload: bytes) -> bytes:
    """Return one unfragmented text frame::

    0x81 | length, 7 bits                 up to 125 bytes
    0x81 | 126 | length, 16 bits          up to 65,535
    0x81 | 127 | length, 64 bits          beyond
    """
    size = len(payload)
    if size < 126:
        return _SHORT_HEADS[size] + payload
    if size < 65_536:
        return _longer_head(0x817E, size) + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def close_frame(code: int, reason: str) -> bytes:
    """Return a Close frame with a close code and a reason of at most 123 bytes."""
    payload = code.to_bytes(2, "big") + reason.encode()[: MAX_CONTROL_PAYLOAD - 2]
    return b"\x88" + bytes((len(payload),)) + payload


def ping_frame(payload: bytes) -> bytes:
    """Return a Ping frame with at most 125 bytes of payload."""
    return b"\x89" + bytes((len(payload),)) + payload


def pong_frame(payload: bytes) -> bytes:
    """Return a Pong frame with at most 125 bytes of payload."""
    return b"\x8a" + bytes((len(payload),)) + payload


# --- frames of a client ---------------------------------------------------------------------------------------------

Received: TypeAlias = tuple[Opcode, Any]
"""What a frame brings: its kind and its content.

=============  =====================================================================
``TEXT``       the whole message, a ``str``
``BINARY``     the whole message, ``bytes``
``CONT``       nothing: the message has further parts, and comes with the last
``PING``       the payload, ``bytes``; ``PONG`` alike
``CLOSE``      the close code, 1000 where the client gave none
=============  =====================================================================
"""


class BrokenFrameError(Exception):
    """A client's bytes break the protocol. The connection must be closed with ``code``."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class FrameReader:
    """Reads the frames of one client from the pieces in which their bytes arrive.

    ``websockets`` parses them. It accepts a length in a longer form than it needs, and counts the size of a control frame as
    a part of the message around it, so both are checked here before.
    """

    __slots__ = ("_between", "_frames", "_short", "_short_size", "_stream")

    def __init__(self) -> None:
        self._stream = StreamReader()
        self._frames = self._parse()
        self._between = True
        """Whether all bytes belong to frames that were read, and to whole messages."""
        self._short = ""
        self._short_size = 0
        """The size of the frame of ``_short``, a text that waits to be read; 0 without one."""

    def feed(self, data: bytes) -> None:
        """Add bytes from the network.

        Almost always they are one short text and nothing else. Between messages such a text is read without the parser,
        which would take more than twice as long.
        """
        if self._between and self._is_short_text(data):
            self._short_size = len(data)
        else:
            self._stream.feed_data(data)
        self._between = False

    def _is_short_text(self, data: bytes) -> bool:
        """Return whether the data is one whole text of up to 125 bytes, and keep it."""
        size = len(data) - 6
        if not 0 <= size <= MAX_CONTROL_PAYLOAD or data[0] != 0x81 or data[1] != 0x80 | size:
            return False
        try:
            self._short = apply_mask(data[6:], data[2:6]).decode()
        except UnicodeDecodeError:
            return False  # the parser finds it again, and closes
        return True

    @property
    def unread(self) -> int:
        """The number of bytes that no frame has taken yet."""
        return self._short_size + len(self._stream.buffer)

    def next_frame(self) -> Received | None:
        """Return the next frame; None until all of its bytes have arrived. Raise :class:`BrokenFrameError` once."""
        if self._short_size:
            self._short_size, self._between = 0, not self._stream.buffer
            return Opcode.TEXT, self._short
        try:
            return next(self._frames)
        except ProtocolError as error:
            raise BrokenFrameError(PROTOCOL_ERROR, str(error)) from None
        except UnicodeDecodeError:
            raise BrokenFrameError(INVALID_TEXT, "a text is not UTF-8") from None
        except PayloadTooBig:
            raise BrokenFrameError(TOO_LARGE, f"a message has more than {MAX_FRAME} bytes") from None

    def _parse(self) -> Generator[Received | None]:
        """Yield each frame, and None whenever bytes are missing."""
        stream, buffer = self._stream, self._stream.buffer
        parts: bytearray | None = None
        kind = Opcode.CONT
        while True:
            while len(buffer) < 2:
                yield None
            is_control, length = buffer[0] & 0x08, buffer[1] & 0x7F
            if (
                length > MAX_CONTROL_PAYLOAD and buffer[1] & 0x80 and buffer[0] & 0x07 <= 2
            ):  # else the library rejects it
                if is_control:
                    raise ProtocolError("a control frame is too long")
                size, least = (2, 126) if length == 126 else (8, 65_536)
                while len(buffer) < 2 + size:
                    yield None
                if int.from_bytes(buffer[2 : 2 + size]) < least:
                    raise ProtocolError("the length of a frame has a longer form than it needs")
            most = None if is_control else MAX_FRAME - len(parts or b"")
            frame = yield from Frame.parse(stream.read_exact, mask=True, max_size=most)
            opcode = frame.opcode
            self._between = not buffer and parts is None
            if opcode is Opcode.PING or opcode is Opcode.PONG:
                yield opcode, frame.data
                continue
            if opcode is Opcode.CLOSE:
                code = Close.parse(frame.data).code
                yield opcode, CloseCode.NORMAL_CLOSURE if code == CloseCode.NO_STATUS_RCVD else code
                continue
            if (opcode is Opcode.CONT) != (parts is not None):
                raise ProtocolError("a message begins within another, or continues none")
            if parts is None:
                kind, data = opcode, frame.data
                if not frame.fin:
                    parts = bytearray(data)
            else:
                parts += frame.data
                data = parts
            self._between = not buffer and frame.fin
            if not frame.fin:
                yield Opcode.CONT, None
                continue
            parts = None
            yield kind, str(data, "utf-8") if kind is Opcode.TEXT else bytes(data)
