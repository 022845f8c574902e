"""The WebSocket frames of a client (RFC 6455, section 5), read without a network."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final, TypeAlias

from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Close, CloseCode, Frame, Opcode
from websockets.streams import StreamReader

from noughts.app.runtime.limits import MAX_FRAME
from noughts.protocol.close_codes import INVALID_TEXT, PROTOCOL_ERROR, TOO_LARGE

MAX_SHORT: Final = 125
"""The largest payload of a control frame, and of a text whose length takes one byte."""

Received: TypeAlias = tuple[Opcode, Any]
"""The kind of a frame and its content.

The content of ``TEXT`` is the whole message, a ``str``; of ``BINARY``, ``PING`` and ``PONG`` it is ``bytes``; of ``CLOSE``
it is the close code, 1000 where the client gave none. ``CONT`` is a part of a message, which comes with its last part.
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

    __slots__ = ("_frames", "_stream", "between")

    def __init__(self) -> None:
        self.between = True
        """Whether all bytes belong to frames that were read, and to whole messages."""
        self._stream = StreamReader()
        self._frames = self._parse()

    def feed(self, data: bytes) -> None:
        """Add bytes from the network."""
        self._stream.feed_data(data)
        self.between = False

    @property
    def unread(self) -> int:
        """The number of bytes that no frame has taken yet."""
        return len(self._stream.buffer)

    def next_frame(self) -> Received | None:
        """Return the next frame; None until all of its bytes have arrived. Raise :class:`BrokenFrameError` once."""
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
        stream, parts, kind = self._stream, bytearray(), Opcode.CONT
        while True:
            is_control = yield from self._check_length()
            limit = None if is_control else MAX_FRAME - len(parts)
            frame = yield from Frame.parse(stream.read_exact, mask=True, max_size=limit)
            opcode: Opcode = frame.opcode
            content: Any = frame.data
            if opcode is Opcode.CLOSE:
                code = Close.parse(content).code
                content = CloseCode.NORMAL_CLOSURE if code == CloseCode.NO_STATUS_RCVD else code
            elif not is_control:
                if (opcode is Opcode.CONT) is (kind is Opcode.CONT):
                    raise ProtocolError("a message begins within another, or continues none")
                kind = opcode if kind is Opcode.CONT else kind
                parts += content
                opcode, content = Opcode.CONT, None
                if frame.fin:
                    opcode, content = kind, str(parts, "utf-8") if kind is Opcode.TEXT else bytes(parts)
                    parts, kind = bytearray(), Opcode.CONT
            self.between = not stream.buffer and kind is Opcode.CONT
            yield opcode, content

    def _check_length(self) -> Generator[None, None, bool]:
        """Check the length in the head of the next frame. Return whether it is a control frame.

        The library rejects a frame without a mask, or with an unknown opcode, before it reads the length.
        """
        buffer = self._stream.buffer
        while len(buffer) < 2:
            yield
        is_control, length = bool(buffer[0] & 0x08), buffer[1] & 0x7F
        if length > MAX_SHORT and buffer[1] & 0x80 and buffer[0] & 0x07 <= 2:
            if is_control:
                raise ProtocolError("a control frame is too long")
            size, least = (2, MAX_SHORT + 1) if length == 126 else (8, 65_536)
            while len(buffer) < 2 + size:
                yield
            if int.from_bytes(buffer[2 : 2 + size]) < least:
                raise ProtocolError("the length of a frame has a longer form than it needs")
        return is_control
