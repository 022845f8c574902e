"""A site of one page, with an origin of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web


class OtherSite:
    """A site of one page, with an origin of its own."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.html = ""


@asynccontextmanager
async def other_site() -> AsyncIterator[OtherSite]:
    """Serve a page on a free port."""

    async def show(request: web.Request) -> web.Response:
        return web.Response(text=site.html, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", show)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        site = OtherSite(runner.addresses[0][1])
        yield site
    finally:
        await runner.cleanup()
