"""The reading side of a WebSocket: text frames go straight to their receiver, in the turn in which their bytes arrive.

aiohttp does the handshake, the closing, and the parsing of all but short texts. Its own queue would cost a future and a task
switch a message.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

import structlog
from aiohttp import WSCloseCode, WSMessage, WSMsgType, web
from aiohttp._websocket.helpers import websocket_mask
from aiohttp._websocket.models import WSMessageTextBytes
from aiohttp._websocket.reader import WebSocketDataQueue  # aiohttp exports it nowhere else
from aiohttp._websocket.writer import WebSocketWriter
from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_websocket import WebSocketError, WebSocketReader
from aiohttp.web_request import BaseRequest

from noughts.app.delivery.frame_headers import SHORT_START
from noughts.app.delivery.guarded_handler import GuardedHandler
from noughts.protocol.close_codes import FAULT
from noughts.protocol.codec import MAX_FRAME

log = structlog.get_logger()

QUEUE_BYTES: Final = 2**16
MAX_CLOSE_CODE: Final = 4999
"""The largest close code of a program (RFC 6455, section 7.4.2)."""
CLOSE_S: Final = 2.0
"""How long a client has to answer our Close frame."""


class FrameReceiver(Protocol):
    """Receives frames as they arrive. An exception from one of its methods is a fault, which closes the connection."""

    def text_received(self, text: str) -> None: ...
    def ping_received(self, payload: bytes) -> None: ...
    def pong_received(self, payload: bytes) -> None: ...


class ShortTextReader:
    """Reads short texts, and holds the receiver of a socket's frames. The socket's queue and its handler share it."""

    __slots__ = ("fault", "receiver")

    def __init__(self) -> None:
        self.receiver: FrameReceiver | None = None
        self.fault: WebSocketError | None = None
        """What ends the connection, once a short text has failed. The queue raises it."""

    def short_text_received(self, frame: bytes) -> bool:
        """Give the text in a short frame to the receiver. Return False if aiohttp's parser is to have the frame.

        That is so without a receiver, for bytes that are not UTF-8, for which the parser ends the connection, and after a
        fault, for which the queue ends it.
        """
        receiver = self.receiver
        if receiver is None:
            return False
        payload = bytearray(frame[SHORT_START:])
        websocket_mask(frame[SHORT_START - 4 : SHORT_START], payload)
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            return False
        try:
            receiver.text_received(text)
        except Exception:
            self.fault = _failed_frame()
            return False
        return True


class FrameQueue(WebSocketDataQueue):
    """aiohttp's queue of received messages. Once there is a receiver, texts, Pings and Pongs go to it instead."""

    waiting: int = 0
    """Messages in the queue that ``receive`` has not returned yet."""

    def __init__(self, protocol: BaseProtocol, limit: int, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(protocol, limit, loop=loop)
        self.short_texts = ShortTextReader()

    def feed_data(self, data: WSMessage | WSMessageTextBytes, size: int) -> None:
        if self.short_texts.fault is not None:
            raise self.short_texts.fault
        receiver, kind = self.short_texts.receiver, data.type
        if receiver is not None:
            try:
                if kind is WSMsgType.TEXT:
                    receiver.text_received(data.data)
                    return
                if kind is WSMsgType.PING:
                    receiver.ping_received(data.data)
                    return
                if kind is WSMsgType.PONG:
                    receiver.pong_received(data.data)
                    return
            except Exception as error:
                raise _failed_frame() from error
        if kind is WSMsgType.CLOSE and (data.data == WSCloseCode.ABNORMAL_CLOSURE or data.data > MAX_CLOSE_CODE):
            raise WebSocketError(WSCloseCode.PROTOCOL_ERROR, "this close code is never sent")
        self.short_texts.receiver = None  # to keep the order: this frame goes into the queue, so the next ones must too
        self.waiting += 1
        super().feed_data(data, size)


def _failed_frame() -> WebSocketError:
    """Log the exception that is being handled, and return the one that ends the connection."""
    log.exception("a frame failed")
    return WebSocketError(FAULT, "the server has a fault: come back")


class DirectWebSocket(web.WebSocketResponse):
    """aiohttp's WebSocket with a :class:`FrameQueue` in place of its own queue.

    Compression is off: it costs 90 KiB a connection. aiohttp rejects a message as large as its limit, so the limit is one
    byte more than the largest message.
    """

    def __init__(self) -> None:
        super().__init__(max_msg_size=MAX_FRAME + 1, compress=False, autoping=False, autoclose=False, timeout=CLOSE_S)
        self._frames: FrameQueue | None = None
        self._ended: asyncio.Future[None] | None = None
        self._handler: GuardedHandler | None = None

    def _post_start(self, request: BaseRequest, protocol: str | None, writer: WebSocketWriter) -> None:
        self._ws_protocol = protocol
        self._writer = writer
        self._frames = FrameQueue(request.protocol, QUEUE_BYTES, loop=asyncio.get_running_loop())
        self._reader = self._frames
        self._parser = WebSocketReader(self._frames, MAX_FRAME + 1, compress=False, decode_text=True)
        handler = request.protocol
        if isinstance(handler, GuardedHandler):
            self._handler = handler
            handler.give_short_texts_to(self._frames.short_texts)
        handler.set_parser(self._parser)
        request.protocol.keep_alive(False)

    async def next_frame(self) -> WSMessage:
        """Return the next frame that did not go to a receiver."""
        try:
            message = await self.receive()
        finally:
            if self._ended is not None and not self._ended.done():
                self._ended.set_result(None)
        frames = self._frames
        if frames is not None and frames.waiting:
            frames.waiting -= 1
        return message

    @property
    def frame_waits(self) -> bool:
        """Whether a frame waits for :meth:`next_frame`."""
        return self._frames is not None and self._frames.waiting > 0

    def divert_to(self, receiver: FrameReceiver | None) -> None:
        """Give texts, Pings and Pongs to a receiver from now on; None ends that."""
        if self._frames is not None:
            self._frames.short_texts.receiver = receiver

    def hold(self, seconds: float) -> None:
        """Read nothing from the client for some seconds."""
        if self._handler is not None:
            self._handler.hold(seconds)

    async def close(self, *, code: int = WSCloseCode.OK, message: bytes = b"", drain: bool = True) -> bool:
        """Send our Close frame, and wait until the client has sent its own or is gone.

        While another task reads, aiohttp would not wait but close the transport. A client that is still sending would then
        have its connection reset and might lose our close code. A transport that is closed already takes no Close frame.
        """
        if self._req is not None and (self._req.transport is None or self._req.transport.is_closing()):
            self._set_closed()
        if self._closed or not self._waiting or self._writer is None:
            return await super().close(code=code, message=message, drain=drain)
        self._set_closed()
        self._ended = asyncio.get_running_loop().create_future()
        await self._writer.close(code, message)
        await self._ended
        return True
