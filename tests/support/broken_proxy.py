"""A proxy in front of servers of Noughts, with one of the faults that operators meet."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import aiohttp
from aiohttp import web

HOP: Final = ("Connection", "Content-Length", "Host", "Transfer-Encoding", "Upgrade")
REST_S: Final = 0.2


class BrokenProxy:
    """Passes requests on to servers in turn. ``fault`` is the name of what it does wrong, empty for nothing."""

    def __init__(self, targets: tuple[str, ...], fault: str = "") -> None:
        self._targets = itertools.cycle(targets)
        self._fault = fault
        self._last_s = time.monotonic()

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        rested, self._last_s = time.monotonic() - self._last_s > REST_S, time.monotonic()
        if self._fault == "keep-alive" and rested:
            return web.Response(status=502)  # it used a connection that the server had closed
        target = next(self._targets)
        if self._fault == "prefix":
            path = request.path_qs.removeprefix("/games")
        else:
            path = request.path_qs
        headers = {name: value for name, value in request.headers.items() if name not in HOP}
        headers |= {
            "Host": request.headers["Host"],
            "X-Forwarded-For": "127.0.0.1",
            "X-Forwarded-Proto": "https" if self._fault == "scheme" else "http",
        }
        async with aiohttp.ClientSession() as session:
            if request.headers.get("Upgrade", "").lower() == "websocket":
                return await self._socket(request, session, target + path)
            data = await request.read()
            async with session.request(
                request.method, target + path, headers=headers, data=data, allow_redirects=False
            ) as answer:
                body = await answer.read()
                return web.Response(status=answer.status, body=body, content_type=answer.content_type)

    async def _socket(self, request: web.Request, session: aiohttp.ClientSession, url: str) -> web.StreamResponse:
        client = web.WebSocketResponse()
        await client.prepare(request)
        async with session.ws_connect(url) as server:
            back = asyncio.ensure_future(self._back(server, client))
            try:
                async for message in client:
                    await server.send_str(message.data)
            finally:
                back.cancel()
        return client

    async def _back(self, server: aiohttp.ClientWebSocketResponse, client: web.WebSocketResponse) -> None:
        async for message in server:
            if self._fault != "buffering":
                await client.send_str(message.data)


@asynccontextmanager
async def broken_proxy(*targets: str, fault: str = "") -> AsyncIterator[str]:
    """Run such a proxy. Yield its URL."""
    proxy = BrokenProxy(targets, fault)
    app = web.Application(client_max_size=1024 * 1024)
    app.router.add_route("*", "/{path:.*}", proxy.pass_on)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
