"""A page that was open while the server was upgraded says so, and loads again without losing what its reader did.

Seen in single-page applications of all kinds: "x is not a function" behind a board, until somebody thought of a reload.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Route, WebSocketRoute, expect

from tests.support.browser import OpenWindow
from tests.support.player import friends_room, guest
from tests.support.responses import raw_response
from tests.support.server import RunningServer
from tests.support.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

OTHER = "0123456789abcdef"
FIELDS = """for (const field of [{value: "https://a.link", readOnly: true}, {value: "Happy Finch"}, {}])
  document.body.append(Object.assign(document.createElement("input"), field));"""
DELAYS = """Math.random = () => 0; window.delays = []; const { setTimeout } = window;
window.setTimeout = (run, ms, ...values) => { delays.push(ms); return setTimeout(run, ms, ...values); };"""
_PAGE = re.compile(r'"page":"[0-9a-f]*"')


async def test_a_page_of_another_tree_loads_again_once_nothing_is_being_written(open_window: OpenWindow) -> None:
    """The welcome names another tree than the page's own, until the page has been loaded again.

    It was loaded again 57 s ago, so it waits for three more. A link to copy and a name that the page filled in are no text
    that is being written.
    """
    window = await open_window()
    page = window.page
    trees = [OTHER]

    def answer(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        server.on_message(lambda text: route.send(_PAGE.sub(f'"page":"{trees[-1]}"', str(text))))

    await window.start("pass_and_play")
    await page.route_web_socket("**/ws", answer)
    await page.reload()
    await page.evaluate("isFirst = true")
    await page.evaluate("sessionStorage.setItem('noughts.reloaded', String(Date.now() - 57_000))")
    await page.evaluate(FIELDS)
    await page.locator("body > input:read-write").last.fill("half a line")
    line = page.locator(".page-line")
    await expect(line).to_contain_text("This page is out of date")
    await window.cell("b2").click()
    await expect(window.cell("b2")).to_have_attribute("data-mark", "X")
    assert await page.evaluate("isFirst")
    trees.append("")
    await page.locator("body > input:read-write").last.fill("")
    await expect(line).to_have_count(0)
    await page.wait_for_function("typeof isFirst === 'undefined'")
    await expect(window.cell("b2")).to_have_attribute("data-mark", "X")


async def test_a_frame_of_another_tree_loads_again(open_window: OpenWindow, server: RunningServer) -> None:
    """At once, because nothing is typed there. Where it is still another tree then, once a minute."""
    window = await open_window()
    page, loads = window.page, []

    def answer(route: WebSocketRoute) -> None:
        upstream = route.connect_to_server()
        upstream.on_message(lambda text: route.send(_PAGE.sub(f'"page":"{OTHER}"', str(text))))

    await page.route_web_socket("**/ws", answer)
    await page.add_init_script(DELAYS)
    page.on("load", lambda _: loads.append(1))
    room = (await friends_room(server, await guest(server.url)))["room"]["id"]
    await window.open(f"/embed/r/{room}")
    await until(lambda: len(loads) == 2)
    await expect(page.locator(".player")).to_have_count(2)
    await page.wait_for_function("delays.includes(60_000)")
    assert len(loads) == 2


async def test_an_upgrade_while_a_page_loads_loads_it_again(open_window: OpenWindow) -> None:
    """The server no longer has what the page loads last. Later, a page without a socket looks when it is seen again."""
    window = await open_window()
    page = window.page
    missing = {"GET upgrade.js", "HEAD main.js"}

    async def answer(route: Route) -> None:
        what = f"{route.request.method} {route.request.url.rpartition('/')[2]}"
        await (route.fulfill(status=404) if what in missing else route.continue_())
        if what == "HEAD main.js":
            missing.clear()

    await page.route("**/js/main/*.js", answer)
    await page.add_init_script("isFirst = performance.getEntriesByType('navigation')[0].type !== 'reload'")
    await window.open("/learn")
    await page.wait_for_function("() => !isFirst")
    assert missing == set()
    missing.add("HEAD main.js")
    await page.wait_for_function(
        "() => document.dispatchEvent(new Event('visibilitychange')) && document.querySelector('.page-line')"
    )
    await expect(page.locator(".toast")).to_have_count(0)


async def test_a_file_of_another_tree_is_never_todays(server: RunningServer) -> None:
    status, _, _ = await raw_response(server, "GET", f"/static/{OTHER}/js/room/page.js")
    assert status == 404
