"""A server with one answer to everything, such as another program that has the port of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def answering(answer: bytes, requests: asyncio.Queue[None] | None = None) -> AsyncIterator[str]:
    """Answer the head of every request with these bytes, and count the requests in the queue. Yield the URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            if requests is not None:
                requests.put_nowait(None)
            writer.write(answer)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
