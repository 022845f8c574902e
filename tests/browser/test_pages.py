"""Pages in a browser: a second visit, no connection, frames, and a server below a sub-path of a proxy."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import FrameLocator, expect

from noughts.puzzles.collection import records
from tests.conftest import StartServer
from tests.support.axe import violations
from tests.support.browser import OpenWindow, Window
from tests.support.other_site import OtherSite, other_site
from tests.support.player import enter, friends_room, guest
from tests.support.ports import free_port, listens
from tests.support.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

NGINX = """
daemon off; pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{}}
http {{
  access_log off; client_body_temp_path {directory}; proxy_temp_path {directory};
  fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
  server {{
    listen 127.0.0.1:{port};
    location /games/ {{
      proxy_pass http://127.0.0.1:{upstream};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto https;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
    }}
  }}
}}
"""


def paths_requested(window: Window) -> list[str]:
    """Return the list to which the path of every request is added from now on."""
    paths: list[str] = []
    window.page.on("request", lambda request: paths.append(urlsplit(request.url).path))
    return paths


async def test_the_start_page_opens_without_a_server(open_window: OpenWindow, start_server: StartServer) -> None:
    """The start page says that it is offline, and a room says so in the strip below its board."""
    server = start_server()
    window = await (await open_window(origin=server.url, service_workers="allow")).open()
    await window.page.evaluate("() => navigator.serviceWorker.ready")
    await expect(window.page.locator(".offline-note")).to_be_hidden()
    server.kill()
    await window.open("/r/some-room")
    await expect(window.page.locator(".room .banner")).not_to_be_empty()
    await window.open()
    await expect(window.page.locator(".offline-note")).to_be_visible()
    await expect(window.page.locator("#page > *").first).to_be_visible()


# --- frames -------------------------------------------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="session")
async def club() -> AsyncIterator[OtherSite]:
    async with other_site() as site:
        yield site


async def frame(window: Window, club: OtherSite, url: str) -> FrameLocator:
    """Show a page in a frame of another site."""
    club.html = f'<iframe src="{url}" width=600 height=600></iframe>'
    await window.page.goto(club.origin)
    return window.page.frame_locator("iframe")


async def test_a_puzzle_and_a_game_are_shown_in_a_frame(
    open_window: OpenWindow, start_server: StartServer, club: OtherSite
) -> None:
    """On a site that the operator allows: a puzzle without its answer, a room that follows its game, and a replay.

    Nothing in a frame can be played.
    """
    server = start_server(embed_origins=club.origin)
    record = next(record for record in records("classic").values() if record.kind == "win")
    window = await open_window(origin=club.origin)
    shown = await frame(window, club, f"{server.url}/embed/puzzle/{record.id}")
    await expect(shown.locator(".outcome")).to_contain_text("Only one move wins.")
    await expect(shown.locator(".picture .board-mark")).to_have_count(len(record.moves.split()))
    solve = shown.get_by_role("link", name="Solve it on Noughts")
    assert await solve.get_attribute("href") == f"{server.url}/puzzle/{record.id}"
    await frame(window, club, f"{server.url}/embed/puzzle/classic-00000000")
    await expect(shown.locator(".outcome")).to_contain_text("no such puzzle")
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    answer = await friends_room(server, ann, mark="X")
    room = answer["room"]["id"]
    shown = await frame(window, club, f"{server.url}/embed/r/{room}")
    await expect(shown.locator(".players")).to_contain_text("Ann")
    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        await o.ask("sit", mark="O", invite=answer["invite"])
        await x.until_room(lambda view: view["game"] is not None)
        await x.ask("move", ply=0, cell="b2")
    await expect(shown.locator(".picture .board-mark.x")).to_have_count(1)
    await shown.locator(".picture").click()
    assert (await ann.get(f"/api/rooms/{room}"))["game"]["moves"] == ["b2"]
    await frame(window, club, f"{server.url}/embed/replay#classic=b2,a1,c1,a2,a3")
    await expect(shown.locator(".picture .board-mark.x")).to_have_count(3)
    await expect(shown.locator(".outcome")).to_have_text("X wins.")
    await shown.get_by_role("button", name="Move before").click()
    await expect(shown.locator(".ply-count")).to_have_text("4 / 5")
    await expect(shown.locator(".picture .board-mark.x:not(.leaving)")).to_have_count(2)
    link = await shown.get_by_role("link").get_attribute("href")
    assert link == f"{server.url}/replay/classic/b2,a1,c1,a2,a3"
    await window.page.goto(f"{server.url}/embed/r/{room}")
    await expect(window.page.locator(".players")).to_contain_text("Ben")
    assert await violations(window.page, "embedded-game") == []
    window.foreign_urls.clear()


# --- a proxy ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def nginx(directory: Path, upstream: int, drops: str = "") -> AsyncIterator[str]:
    """Run nginx in front of a server with the base path /games, and yield its URL. ``drops`` is a header to leave out."""
    port = free_port()
    path = directory / "nginx.conf"
    lines = NGINX.format(directory=directory, port=port, upstream=upstream).splitlines()
    path.write_text("\n".join(line for line in lines if not drops or f"proxy_set_header {drops} " not in line))
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    process = subprocess.Popen([program, "-c", str(path), "-p", str(directory)])
    try:
        await until(lambda: listens(port))
        yield f"http://127.0.0.1:{port}/games"
    finally:
        process.terminate()
        process.wait(10)


async def test_a_game_below_a_sub_path_of_a_proxy(
    open_window: OpenWindow, start_server: StartServer, tmp_path: Path
) -> None:
    """Page, files, socket, manifest, worker and links all stay below the sub-path."""
    server = start_server(base_path="/games", trusted="127.0.0.1")
    async with nginx(tmp_path, server.port) as url:
        ann, ben = await guest(url), await guest(url)
        answer = await friends_room(server, ann, mark="X")
        room = answer["room"]["id"]
        window = await open_window(origin=url, service_workers="allow")
        paths = paths_requested(window)
        await window.open(f"/r/{room}")
        picture = await window.page.locator('meta[property="og:image"]').get_attribute("content")
        assert picture is not None
        assert picture.startswith(url.replace("http:", "https:") + f"/r/{room}/preview.png")
        async with enter(server, room, ann) as x, enter(server, room, ben) as o:
            await o.ask("sit", mark="O", invite=answer["invite"])
            await x.until_room(lambda view: view["game"] is not None)
            await x.ask("move", ply=0, cell="b2")
        await expect(window.cell("b2")).to_have_attribute("data-mark", "X")
        scope = await window.page.evaluate("async () => (await navigator.serviceWorker.ready).scope")
        assert scope == f"{url}/"
        manifest = await window.page.evaluate(
            "async () => (await fetch(document.querySelector('[rel=manifest]').href)).json()"
        )
        assert all(icon["src"].startswith("/games/static/") for icon in manifest["icons"])
        assert [path for path in paths if not path.startswith("/games/")] == []


async def test_a_proxy_that_drops_upgrade_is_named(
    open_window: OpenWindow, start_server: StartServer, tmp_path: Path
) -> None:
    """Say in the room what is wrong, because only the operator can mend it. Keep the move of the start page, hollow."""
    server = start_server(base_path="/games", trusted="127.0.0.1")
    async with nginx(tmp_path, server.port, drops="Upgrade") as url:
        window = await (await open_window(origin=url)).open("/")
        await window.cell("b2").click()
        await expect(window.page.locator(".banner")).to_contain_text("A proxy may be dropping the Upgrade header.")
        await expect(window.cell("b2")).to_have_attribute("data-mark", "X")
        await expect(window.page.locator(".board-mark.hollow")).to_have_count(1)
