"""Pages: strict headers, compression, caching, frames, the base path, and a page for an unknown address."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from noughts.app.endpoints.pages import FOR_A_YEAR
from noughts.app.page.files import PageFiles, page_directory
from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter, friends_room, guest
from tests.support.responses import raw_response, rejection


@pytest.mark.parametrize(
    "path",
    ["/", "/r/nowhere", "/replay", "js/main/main.js", "css/room.css", "/favicon.ico"],
)
async def test_pages_come_with_strict_headers(server: LocalServer, path: str) -> None:
    address = path if path.startswith("/") else await static_path(server, path)
    _, headers, _ = await raw_response(server, "GET", address)
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"):
        assert rule in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


async def static_path(server: LocalServer, name: str) -> str:
    """Return the path of a file in the present tree."""
    _, _, page = await raw_response(server, "GET", "/")
    match = re.search(rb'href="(/\S*static/[0-9a-f]+/)css/page\.css"', page)
    assert match is not None
    return match[1].decode() + name


async def test_a_file_is_kept_for_a_year(server: LocalServer) -> None:
    """Under the hash of another version there is no file."""
    path = await static_path(server, "css/room.css")
    status, headers, body = await raw_response(server, "GET", path)
    assert (status, headers["Content-Type"]) == (200, "text/css; charset=utf-8")
    assert headers["Cache-Control"] == FOR_A_YEAR
    _, headers, packed = await raw_response(server, "GET", path, headers={"Accept-Encoding": "gzip"})
    assert (headers["Content-Encoding"], headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert gzip.decompress(packed) == body
    status, _, _ = await raw_response(server, "GET", "/static/0123456789abcdef/css/room.css")
    assert status == 404


async def test_pages_weigh_little(server: LocalServer) -> None:
    """Send at most 72 kB for the first page with its room, and 100 kB with all of any one folder, in every language."""
    page = PageFiles(page_directory())
    sizes = {name: len(file.packed) for name, file in page.files.items()}
    begun = 0
    for language in page.languages:
        _, _, start = await raw_response(
            server, "GET", "/", headers={"Accept-Encoding": "gzip", "Accept-Language": language}
        )
        begun = max(begun, len(start) + sizes[f"js/texts/{language}.json"])
    first = ("css/page.css", "js/main/main.js", "js/room/page.js", "icon.svg")
    assert begun + sum(sizes[name] for name in first) <= 72_000
    parts = {f"js/{module}" for modules in page.joined.values() for module in modules}
    others = ("js/room/embed.js", "js/client.js", "js/service_worker.js")
    later = [name for name in sizes if name.endswith(".js") and name not in parts and name not in others]
    folders = {name.split("/")[1] for name in later}
    assert len(folders) > 5
    for folder in folders:
        more = [name for name in later if name.split("/")[1] == folder]
        assert begun + sum(sizes[name] for name in (*first, *more)) <= 100_000, folder


@pytest.mark.parametrize(
    ("path", "text"), [("/", b"Freund einladen"), ("/nothing", b"Unter dieser Adresse"), ("/replay", b"Spiel wird")]
)
async def test_a_page_speaks_the_visitors_language(server: LocalServer, path: str, text: bytes) -> None:
    """A cache must keep the languages apart, and so must a browser that asks again."""
    accepted = {"Accept": "text/html", "Accept-Language": "de-AT,de;q=0.9,en;q=0.8"}
    _, german, body = await raw_response(server, "GET", path, headers=accepted)
    assert text in body
    assert (german["Content-Language"], german["Vary"]) == ("de", "Accept-Encoding, Accept-Language")
    _, english, other = await raw_response(
        server, "GET", path, headers={"Accept": "text/html", "If-None-Match": german["ETag"]}
    )
    assert text not in other
    assert (english["Content-Language"], b'<html lang="en"' in other) == ("en", True)


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/nothing.js",
        "/static/../server.py",
        "/static/x/../../README.md",
        "/static/x/..%2f..%2fREADME.md",
        "/static/x/jsconfig.json",
        "/static/x/html/shell.html",
        "/static/x/",
        "/static/",
        "/nothing",
    ],
)
async def test_other_files_do_not_exist(server: LocalServer, path: str) -> None:
    assert await rejection(Api(server.url), "GET", path) == (404, "not_found")


async def test_robots_stay_away_from_rooms(server: LocalServer) -> None:
    status, _, text = await raw_response(server, "GET", "/robots.txt")
    assert status == 200
    assert b"Disallow: /api/" in text


# --- an unknown address -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/nothing", "/R/x", "/static/x/none.css", "/r/x/y/z", "/%3Cscript%3E!x"])
async def test_a_person_gets_a_page(server: LocalServer, path: str) -> None:
    """The page needs no module, and repeats nothing of the address."""
    status, headers, body = await raw_response(server, "GET", path, headers={"Accept": "text/html,*/*"})
    assert (status, headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert b"There is no page at this address" in body
    assert re.findall(rb"(?i)<script[^>]*>", body) == [b"<script>"]  # the one of the first paint
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/nothing"), ("GET", "/api/rooms/x"), ("POST", "/nothing")])
async def test_a_program_gets_json(server: LocalServer, method: str, path: str) -> None:
    status, headers, _ = await raw_response(server, method, path, headers={"Accept": "text/html"})
    assert (status, headers["Content-Type"].split(";")[0]) == (404, "application/json")


# --- frames -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moves", ["classic/b2,b2", "classic/b2,", "chess/e4", "classic/b2,a1,c1,a2,a3,c3", "classic/b2/a1"]
)
@pytest.mark.parametrize("root", ["/replay", "/embed/replay"])
async def test_the_path_of_no_game_is_404(server: LocalServer, root: str, moves: str) -> None:
    """A path with the moves of a game has a page."""
    assert (await raw_response(server, "GET", f"{root}/classic/b2,a1"))[0] == 200
    assert (await raw_response(server, "GET", f"{root}/{moves}"))[0] == 404


@pytest.mark.parametrize("path", ["/embed/r/nowhere", "/embed/replay"])
async def test_frames_are_for_the_operators_origins(server: LocalServer, tmp_path: Path, path: str) -> None:
    """No other page may be in a frame, and by default none at all."""
    _, headers, _ = await raw_response(server, "GET", path)
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    assert headers["X-Robots-Tag"] == "noindex"
    origins = ("https://club.example.org", "http://localhost:3000")
    async with local_server(tmp_path, embed_origins=origins) as other:
        _, headers, _ = await raw_response(other, "GET", path)
        assert headers["Content-Security-Policy"].endswith(
            "frame-ancestors https://club.example.org http://localhost:3000"
        )
        _, headers, _ = await raw_response(other, "GET", path.removeprefix("/embed"))
        assert headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


# --- a sub-path ---------------------------------------------------------------------------------------------------


async def test_everything_is_under_the_base_path(tmp_path: Path) -> None:
    async with local_server(tmp_path, base_path="/club/games") as server:
        root = LocalServer(server.server, tmp_path, server.host, server.port)
        _, _, page = await raw_response(server, "GET", "/")
        addresses = re.findall(rb'(?:href|src)="([^"]+)"', page)
        assert len(addresses) > 5
        for address in addresses:
            assert address.startswith(b"/club/games/")
            assert (await raw_response(root, "GET", address.decode()))[0] == 200, address
        ann = await guest(server.url)
        answer = await friends_room(server, ann)
        assert answer["watch_url"] == f"{server.url}/r/{answer['room']['id']}"
        assert (await raw_response(server, "GET", f"/r/{answer['room']['id']}"))[0] == 200
        async with enter(server, answer["room"]["id"], ann) as socket:
            assert socket.room["id"] == answer["room"]["id"]
        _, _, robots = await raw_response(server, "GET", "/robots.txt")
        assert b"/club/games/api/" in robots
        status, headers, _ = await raw_response(root, "GET", "/club/games")
        assert (status, headers["Location"]) == (308, "/club/games/")
        for path in ("/", "/api/variants", "/ws", "/r/x", "/healthz"):
            assert (await raw_response(root, "GET", path))[0] == 404


# --- link previews ------------------------------------------------------------------------------------------------


async def test_a_preview_names_no_player_of_an_unlisted_room(server: LocalServer) -> None:
    """It never has the invite either."""
    ann = await guest(server.url, "Ann of the Preview")
    answer = await friends_room(server, ann)
    _, _, page = await raw_response(server, "GET", f"/r/{answer['room']['id']}")
    assert answer["invite"].encode() not in page
    assert b"Ann of the Preview" not in page
    assert f'property="og:url" content="{answer["watch_url"]}"'.encode() in page
    assert b'<meta property="og:title" content="Tic-tac-toe ' in page


async def test_a_module_has_an_address_without_the_hash(server: LocalServer) -> None:
    """For pages of other sites. It leads to the module of this version, which a cache asks for again each time."""
    status, headers, _ = await raw_response(server, "GET", "/static/js/client.js")
    assert (status, headers["Cache-Control"], headers["Access-Control-Allow-Origin"]) == (302, "no-cache", "*")
    status, headers, _ = await raw_response(server, "GET", headers["Location"])
    assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert (await raw_response(server, "GET", "/static/js/net/messages.d.ts"))[0] == 302
    assert (await raw_response(server, "GET", "/static/js/nowhere.js"))[0] == 404


async def test_files_of_the_base_are_asked_for_each_time(server: LocalServer) -> None:
    """A browser must ask for the newest each time."""
    for path, kind in (
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/service-worker.js", "text/javascript"),
        ("/favicon.ico", "image/svg+xml"),
    ):
        status, headers, _ = await raw_response(server, "GET", path)
        assert (status, headers["Content-Type"].split(";")[0]) == (200, kind)
        assert headers["Cache-Control"] == "no-cache"


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


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ("{}", 304),
        ('"other",{} , "third"', 304),
        ("*", 304),
        ('"other"', 200),
        ("", 200),
    ],
)
async def test_a_page_that_the_client_has_is_not_sent_again(server: LocalServer, condition: str, status: int) -> None:
    """Entity tags come in a list and are compared weakly: a proxy that compresses a page makes its tag weak."""
    _, headers, _ = await raw_response(server, "GET", "/")
    tag = headers["ETag"].removeprefix("W/")
    answer = await raw_response(server, "GET", "/", headers={"If-None-Match": condition.format(tag)})
    assert (answer[0], answer[1]["ETag"]) == (status, headers["ETag"])
    assert bool(answer[2]) == (status == 200)


async def test_the_page_of_an_unknown_room_is_a_page_too(server: LocalServer) -> None:
    """It is never 304: the status says that the room is gone."""
    _, headers, _ = await raw_response(server, "GET", "/")
    headers_of_a_cache = {"If-None-Match": headers["ETag"]}
    assert (await raw_response(server, "GET", "/", headers=headers_of_a_cache))[0] == 304
    status, headers, body = await raw_response(server, "GET", "/r/nowhere", headers=headers_of_a_cache)
    assert (status, headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert headers["X-Robots-Tag"] == "noindex"  # chat programs may read it, for its preview
    assert b"<html" in body.lower()


class FailingStore(SqliteStore):
    """A store that cannot read a room."""

    async def load(self, room: str) -> None:
        raise StoreUnavailableError("out of order")


async def test_the_page_is_shown_while_the_store_is_away(tmp_path: Path) -> None:
    """The page itself says that the room cannot be read, and tries again."""
    async with local_server(tmp_path, FailingStore(tmp_path / "noughts.db")) as server:
        assert (await raw_response(server, "GET", "/r/a-room"))[0] == 200
