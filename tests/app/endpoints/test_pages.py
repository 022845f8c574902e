"""The page and its files: strict headers, compression, caching, and no file that is not the page's."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from noughts.app.endpoints.pages import Pages, page_directory
from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, friends_room, guest
from tests.support.responses import raw_response, rejection


@pytest.mark.parametrize("path", ["/", "/r/nowhere", "/static/js/main.js", "/static/style.css", "/favicon.ico"])
async def test_pages_come_with_strict_headers(server: LocalServer, path: str) -> None:
    _, headers, _ = await raw_response(server, "GET", path)
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def test_a_file_is_sent_once(server: LocalServer) -> None:
    """A client that has the file gets 304 without a body, and the file again once it has changed."""
    status, headers, body = await raw_response(server, "GET", "/static/style.css")
    assert (status, headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    for tag, expected in ((headers["ETag"], (304, b"")), ('"other"', (200, body))):
        status, _, answer = await raw_response(server, "GET", "/static/style.css", headers={"If-None-Match": tag})
        assert (status, answer) == expected


async def test_a_file_is_compressed_for_a_client_that_accepts_it(server: LocalServer) -> None:
    _, _, body = await raw_response(server, "GET", "/static/style.css")
    _, headers, packed = await raw_response(server, "GET", "/static/style.css", headers={"Accept-Encoding": "gzip"})
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed) == body
    assert len(packed) < len(body)


@pytest.mark.parametrize(
    "path",
    [
        "/static/nothing.js",
        "/static/../cli.py",
        "/static/..%2f..%2fREADME.md",
        "/static/jsconfig.json",
        "/static/",
        "/nothing",
    ],
)
async def test_other_files_do_not_exist(server: LocalServer, path: str) -> None:
    assert await rejection(Api(server.url), "GET", path) == (404, "not_found")


async def test_robots_stay_away_from_rooms(server: LocalServer) -> None:
    status, _, text = await raw_response(server, "GET", "/robots.txt")
    assert status == 200
    assert b"Disallow: /r/" in text


async def test_the_icon_is_a_picture(server: LocalServer) -> None:
    _, headers, _ = await raw_response(server, "GET", "/favicon.ico")
    assert headers["Content-Type"] == "image/svg+xml"


# --- the page of a room -------------------------------------------------------------------------------------------


async def test_the_page_of_a_room_takes_no_seat(server: LocalServer) -> None:
    """Chat programs fetch every link that somebody sends."""
    ann, ben = await guest(server.url), await guest(server.url)
    room = (await friends_room(server, ann))["room"]["id"]
    before = await ann.get(f"/api/rooms/{room}")
    for headers in ({}, {"Authorization": f"Bearer {ben.token}"}):
        for method in ("GET", "HEAD"):
            assert (await raw_response(server, method, f"/r/{room}", headers=headers))[0] == 200
    assert await ann.get(f"/api/rooms/{room}") == before


async def test_the_page_of_an_unknown_room_is_a_page_too(server: LocalServer) -> None:
    """It is never 304: the status says that the room is gone."""
    _, headers, _ = await raw_response(server, "GET", "/")
    headers_of_a_cache = {"If-None-Match": headers["ETag"]}
    assert (await raw_response(server, "GET", "/", headers=headers_of_a_cache))[0] == 304
    status, headers, body = await raw_response(server, "GET", "/r/nowhere", headers=headers_of_a_cache)
    assert (status, headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert b"<html" in body.lower()


class FailingStore(SqliteStore):
    """A store that cannot read a room."""

    async def load(self, room: str) -> None:
        raise StoreUnavailableError("out of order")


async def test_the_page_is_shown_while_the_store_is_away(tmp_path: Path) -> None:
    """The page itself says that the room cannot be read, and tries again."""
    async with local_server(tmp_path, FailingStore(tmp_path / "noughts.db")) as server:
        assert (await raw_response(server, "GET", "/r/a-room"))[0] == 200


# --- the files ----------------------------------------------------------------------------------------------------


def test_only_files_of_a_page_are_served(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("index.html", "deep/main.js", "notes.md", "types.d.ts", "jsconfig.json", "icon.png"):
        (tmp_path / name).write_bytes(b"x")
    files = Pages(tmp_path).files
    assert {name: file.kind for name, file in files.items()} == {
        "index.html": "text/html",
        "deep/main.js": "text/javascript",
        "icon.png": "image/png",
    }


def test_a_directory_without_a_page_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="the page is missing"):
        Pages(tmp_path)


def test_the_page_lies_beside_the_package_in_a_checkout() -> None:
    assert (page_directory() / "index.html").is_file()
