"""A TCP proxy for one link, which can freeze it, cut it, delay it, split it into bytes, or drop one direction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class TcpProxy:
    """Forwards connections from a port of its own to a port of this machine."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.delay_s = 0.0
        """Seconds by which each piece is late, in both directions."""
        self.drops_answers = False
        """Whether answers vanish: requests still arrive."""
        self.drops_requests = False
        """Whether requests vanish: answers still arrive."""
        self.splits = False
        """Whether each byte travels alone."""
        self.connections = 0
        """Connections accepted so far."""
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._clients: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def freeze(self) -> None:
        """Carry nothing in either direction; connections stay open, and new ones are accepted."""
        self._flowing.clear()

    def thaw(self) -> None:
        """Carry what was held up, and go on."""
        self._flowing.set()

    def cut(self) -> None:
        """Close every connection, and each new one at once, until :meth:`mend`."""
        self._refusing = True
        self.close_connections()

    def mend(self) -> None:
        """Undo every fault."""
        self._refusing = False
        self.drops_answers = False
        self.drops_requests = False
        self.splits = False
        self.delay_s = 0.0
        self.thaw()

    def close_connections(self) -> None:
        """Close every connection once; new ones work."""
        for writer in list(self._writers):
            transport = writer.transport
            transport.abort()

    def answer(self, data: bytes) -> None:
        """Send bytes to every client, as if the server had sent them."""
        for writer in self._clients:
            writer.write(data)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.close_connections()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        self._clients.add(writer)
        try:
            if not self._refusing:
                with suppress(OSError):
                    await self._carry(reader, writer)
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._tasks.discard(task)
            self._writers.discard(writer)
            self._clients.discard(writer)
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.target)
        self._writers.add(server_writer)
        ways = [
            asyncio.ensure_future(self._pump(reader, server_writer, answers=False)),
            asyncio.ensure_future(self._pump(server_reader, writer, answers=True)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._writers.discard(server_writer)
            server_writer.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool) -> None:
        while data := await reader.read(65_536):
            if self.delay_s:
                await asyncio.sleep(self.delay_s)
            await self._flowing.wait()
            if self.drops_answers if answers else self.drops_requests:
                continue
            step = 1 if self.splits else len(data)
            for at in range(0, len(data), step):
                writer.write(data[at : at + step])
                await writer.drain()
                await asyncio.sleep(0)


@asynccontextmanager
async def tcp_proxy(target: int) -> AsyncIterator[TcpProxy]:
    """Forward a free port of the loopback to another port."""
    proxy = TcpProxy(target)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
