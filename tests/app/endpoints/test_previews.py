"""The pictures of link previews, as chat programs fetch them."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path

from PIL import Image

from noughts.app.runtime.limits import PREVIEWS
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, friends_room, guest
from tests.support.responses import raw_response, rejection
from tests.support.rooms import pair


async def picture_of(server: LocalServer, path: str) -> bytes:
    """Return the picture that a page names, fetched as a chat program does."""
    _, _, page = await raw_response(server, "GET", path, headers={"User-Agent": "Twitterbot/1.0"})
    match = re.search(rb'property="og:image" content="([^"]+)"', page)
    assert match is not None
    address = match[1].decode().replace("&amp;", "&")
    assert address.startswith(server.url + "/")
    status, headers, picture = await raw_response(server, "GET", address.removeprefix(server.url))
    assert (status, headers["Content-Type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(picture)).size == (1200, 630)
    return picture


async def test_every_page_has_a_picture(server: LocalServer) -> None:
    """That of a replay in the query differs from that of the site."""
    ann = await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    async with pair(server) as game:
        await game.play("b2")
    paths = (
        "/",
        f"/r/{room}",
        f"/r/{game.id}",
        "/replay?classic=b2,a1,c1,a2,a3",
        "/replay?classic=b2,a1&over=resignation,O",
    )
    pictures = [await picture_of(server, path) for path in paths]
    assert len(set(pictures)) == len(pictures)
    assert await picture_of(server, "/replay?classic=b2,b2") == pictures[0]
    assert await rejection(Api(server.url), "GET", "/r/nowhere/preview.png") == (404, "unknown_room")


async def test_new_pictures_have_credit(tmp_path: Path) -> None:
    """A picture that is kept costs nothing."""
    async with local_server(tmp_path, limits=True) as server:
        burst = int(PREVIEWS.rate.burst)
        for _ in range(3 * burst):
            assert (await raw_response(server, "GET", "/preview.png"))[0] == 200
        cells = [f"{column}{row}" for column in "abc" for row in "123"]
        paths = [f"/preview.png?gomoku={cell},{other}" for cell in cells for other in ("d4", "e5", "f6")]
        answers = await asyncio.gather(*(raw_response(server, "GET", path) for path in paths))
        statuses = [status for status, _, _ in answers]
        assert statuses.count(429) >= 3  # all at once, so next to no credit comes back in between
        assert len(statuses) - statuses.count(429) >= burst - 1
