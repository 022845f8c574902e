"""A page that was open while the server was upgraded says so, and loads again without losing what its reader did.

Seen in single-page applications of all kinds: "x is not a function" behind a board, until somebody thought of a reload.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.support.browser import OpenWindow
from tests.support.responses import raw_response
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

OTHER = "0123456789abcdef"
_PAGE = re.compile(r'"page":"[0-9a-f]*"')


async def test_a_page_of_another_tree_loads_again_once_nothing_is_being_written(open_window: OpenWindow) -> None:
    """The welcome names another tree than the page's own, until the page has been loaded again."""
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
    await page.evaluate("document.body.append(Object.assign(document.createElement('input'), {value: 'half a line'}))")
    line = page.locator(".page-line")
    await expect(line).to_contain_text("This page is out of date")
    await window.cell("b2").click()
    await expect(window.cell("b2")).to_have_attribute("data-mark", "X")
    assert await page.evaluate("isFirst")
    trees.append("")
    await page.evaluate("document.querySelector('body > input').remove()")
    await expect(line).to_have_count(0)
    await page.wait_for_function("typeof isFirst === 'undefined'")
    await expect(window.cell("b2")).to_have_attribute("data-mark", "X")


async def test_a_file_of_another_tree_is_never_todays(server: RunningServer) -> None:
    status, _, _ = await raw_response(server, "GET", f"/static/{OTHER}/js/room/page.js")
    assert status == 404
