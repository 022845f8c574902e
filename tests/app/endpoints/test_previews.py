"""The pictures of link previews, as chat programs fetch them."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from noughts.app.endpoints import previews
from noughts.app.runtime.limits import PREVIEWS
from noughts.puzzles.collection import records
from noughts.store.coordination import Rate
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
    assert picture.startswith(b"\x89PNG")
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
        "/replay/classic/b2,a1?over=resignation,O",
        "/replay/classic/b2,a1",
        *[f"/puzzle/{puzzle_id}" for puzzle_id in list(records("classic"))[:2]],
    )
    pictures = [await picture_of(server, path) for path in paths]
    assert len(set(pictures)) == len(pictures)
    assert await picture_of(server, "/replay?classic=b2,b2") == pictures[0]
    for path, query in (("/replay/classic/b2,a1", "classic=b2,a1"), ("/replay/classic/b2%2Ca1", "classic=b2,a1")):
        assert await picture_of(server, path) == await picture_of(server, f"/replay?{query}")
    assert await rejection(Api(server.url), "GET", "/r/nowhere/preview.png") == (404, "unknown_room")
    assert (await raw_response(server, "GET", "/puzzle/classic-00000000/preview.png"))[0] == 404


async def test_new_pictures_have_credit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that is kept costs nothing. A few pictures are enough here: no credit comes back."""
    burst = 3
    assert PREVIEWS.rate.burst > burst
    monkeypatch.setattr(previews, "PREVIEWS", PREVIEWS._replace(rate=Rate(burst, 1e-9)))
    async with local_server(tmp_path, limits=True) as server:
        for _ in range(3 * burst):
            assert (await raw_response(server, "GET", "/preview.png"))[0] == 200
        paths = [f"/preview.png?gomoku={cell}" for cell in ("a1", "b2", "c3", "d4", "e5")]
        answers = await asyncio.gather(*(raw_response(server, "GET", path) for path in paths))
        assert sorted(status for status, _, _ in answers) == [200, 200, 429, 429, 429]
