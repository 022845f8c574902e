"""A browser that refuses history, alters pictures or translates the page takes nothing from a game.

Seen in map sites, drawing programs and forums: an address bar that stopped the page, a picture of noise, translated names.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.support.browser import OpenWindow
from tests.support.player import friends_room, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

NO_HISTORY = """for (const name of ["pushState", "replaceState"])
  History.prototype[name] = () => { throw new DOMException("Attempt to use history 100 times", "SecurityError"); };"""
NOISE = """const read = CanvasRenderingContext2D.prototype.getImageData;
CanvasRenderingContext2D.prototype.getImageData = function (...box) {
  const image = read.apply(this, box);
  for (let n = 0; n < image.data.length; n++) image.data[n] = (n * 37) % 256;
  return image;
};"""


async def test_the_next_puzzle_comes_while_the_browser_refuses_new_addresses(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.page.add_init_script(NO_HISTORY)
    await window.open("/puzzle")
    heading = window.page.locator(".puzzle .outcome-card")
    await expect(window.page.locator(".puzzle [role=gridcell]").first).to_be_visible()
    await window.page.get_by_label("Game").select_option("qubic")
    await expect(window.page.locator(".puzzle [role=gridcell]")).to_have_count(64)
    await expect(heading).not_to_contain_text("history")
    await expect(window.page.locator(".toast")).to_have_count(0)
    await window.start("pass_and_play")
    await window.play("b2")


async def test_a_picture_that_the_browser_alters_is_saved_as_svg(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.page.add_init_script(NOISE)
    await window.start("pass_and_play")
    await window.play("b2", "a1", "c1", "a2", "a3")
    await window.expect_phase("finished")
    await window.click("Share")
    async with window.page.expect_download() as download:
        await window.click("Save picture (PNG)")
    file = await download.value
    assert file.suggested_filename == "classic.svg"
    assert Path(await file.path()).read_text().startswith("<svg")
    await expect(window.page.locator(".toast")).to_contain_text("SVG")


async def test_a_translator_leaves_names_and_cells_alone(open_window: OpenWindow) -> None:
    window = await open_window()
    await window.start("pass_and_play")
    await window.play("b2", "a1")
    for words in (".seat-name", "[role=gridcell]", ".guest-name"):
        place = window.page.locator(words).first
        assert await place.evaluate("(node) => node.closest('[translate=no]') !== null"), words
    assert await window.page.locator(".commands").evaluate("(node) => node.translate")


async def test_a_frame_whose_connection_is_lost_says_so(open_window: OpenWindow, server: RunningServer) -> None:
    """The server stops in mid-game, or a proxy begins to drop upgrades: the frame is not silently stale."""
    window = await open_window()
    sockets: list[WebSocketRoute] = []

    async def pass_on_once(socket: WebSocketRoute) -> None:
        if sockets:
            await socket.close()
        else:
            socket.connect_to_server()
        sockets.append(socket)

    await window.page.route_web_socket("**/ws", pass_on_once)
    room = (await friends_room(server, await guest(server.url, "Ann")))["room"]["id"]
    await window.open(f"/embed/r/{room}")
    await expect(window.page.locator(".players")).to_contain_text("Ann")
    await sockets[0].close(code=1012)
    await expect(window.page.locator(".outcome")).to_contain_text("Reconnecting")
