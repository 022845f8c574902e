"""The admin page: from the link to the end of the session, on a telephone, with the keyboard alone."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from noughts.app.runtime.admin_secret import read_secrets
from tests.conftest import StartServer
from tests.support.axe import violations
from tests.support.browser import OpenWindow
from tests.support.player import Api, enter, friends_room, guest
from tests.support.server import RunningServer
from tests.support.tournament_client import new_cup

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def press(page: Page, *names: str) -> None:
    """Press Enter on each button in turn. The confirmation of a button gets the focus by itself."""
    for name in names:
        await page.keyboard.press("Shift")  # two Enters at once would be one press
        await page.get_by_role("button", name=name, exact=True).press("Enter")


async def test_the_operator_looks_after_the_server_from_a_telephone(
    open_window: OpenWindow, start_server: StartServer
) -> None:
    """On a server of its own, where nobody else is banned. A room of engines comes after a person's."""
    server = start_server()
    operator = Api(*read_secrets(server.data)[0])
    link = (await operator.post("/admin/codes"))["links"][-1].removeprefix(server.url)
    ann = await guest(server.url, "Ann <b>")
    room = (await friends_room(server, ann))["room"]["id"]
    await ann.post("/api/rooms", {"variant": "4x4", "opponent": "engines", "levels": ["novice", "casual"]})
    cup = await new_cup(server)
    window = await open_window(320, 640, origin=server.url, has_touch=True, reduced_motion="reduce")
    page = window.page
    async with enter(server, room, ann) as x:
        await x.ok("chat", text="Hello <i>")
        await window.open(link)
        await expect(page).to_have_url(f"{server.url}/#admin")
        first = page.locator(".admin-rooms li").first
        await expect(first.locator("b")).to_have_text("Ann <b>")
        await first.locator("summary").focus()
        await page.keyboard.press("Enter")
        await press(page, "Show chat")
        await expect(page.locator(".admin-chat li")).to_contain_text("Ann <b>: Hello <i>")
        player = page.locator("li", has=page.get_by_role("button", name="Delete player"))
        await page.keyboard.press("Shift")
        await page.locator("summary", has_text="127.0.0.1").filter(has_text="Ann <b>").press("Enter")
        await player.get_by_label("Name").fill("Anna")
        await page.keyboard.press("Enter")
        await expect(player.locator("b")).to_have_text("Anna")
        await press(page, "Ban player")
        await expect(page.get_by_role("button", name="Cancel")).to_be_focused()
        assert await violations(page, "admin") == []
        assert await page.evaluate("document.documentElement.scrollWidth") == 320
        await page.keyboard.press("Shift")  # two Enters in a row are one press
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Ban player")).to_be_focused()
        await press(page, "Ban player")
        await page.locator(".question .danger").click()
        assert await x.closed() == 1008
    await expect(page.locator("summary", has_text="Cup")).to_contain_text("entrants: 0")
    await page.locator("summary", has_text="Cup").press("Enter")
    await press(page, "Delete tournament")
    await page.locator(".question .danger").click()
    await expect(page.get_by_text("No tournament is open or running.")).to_be_visible()
    assert (await Api(server.url).call("GET", f"/api/tournaments/{cup.id}"))[0] == 404
    await press(page, "Lift ban")
    await expect(page.get_by_text("No address and no player is banned.")).to_be_visible()
    await page.get_by_label("Room or its link").fill("nosuch")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("No room was found.")).to_be_visible()
    await page.get_by_label("Room or its link").fill(f"{server.url}/r/{room}#i=invite")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Shift")
    await page.locator(".admin-rooms summary").press("Enter")
    await press(page, "Close room")
    await page.locator(".question .danger").click()
    await expect(page.locator(".admin-rooms", has_text=room)).to_have_count(0)
    await expect(page.locator("h1")).to_be_focused()
    assert (await Api(server.url).call("GET", f"/api/rooms/{room}"))[0] == 404
    page_session = await page.evaluate("JSON.parse(sessionStorage['noughts.admin']).secret")
    await page.set_viewport_size({"width": 1440, "height": 900})
    assert await violations(page, "admin wide") == []
    await Api(server.url, page_session).post("/admin/session/end")
    await page.reload()
    await expect(page.locator("h1")).to_have_text("You are not signed in")
    again = await open_window(390, 844, origin=server.url)
    await again.open(link)
    await expect(again.page.locator(".page-note")).to_contain_text("Run “noughts admin” on the server's machine")
    assert await violations(again.page, "admin ended") == []


HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


async def test_a_hidden_admin_page_asks_for_nothing(open_window: OpenWindow, server: RunningServer) -> None:
    """A stranger who types the fragment sees the start page. A link opens the page in the same tab."""
    operator = Api(*read_secrets(server.data)[0])
    window = await open_window(390, 844)
    page, requests = window.page, []
    page.on("request", lambda request: requests.append(request.url))

    def count() -> int:
        return len([url for url in requests if url.startswith(f"{server.url}/admin/")])

    await page.clock.install()
    await window.open("/#admin")
    await expect(page.locator(".start .ladder")).not_to_be_empty()
    assert count() == 0
    await page.evaluate("link => { location.href = link; }", (await operator.post("/admin/codes"))["links"][-1])
    await expect(page.locator(".admin-head h1")).to_be_visible()
    async with page.expect_response("**/admin/nodes"):
        await page.clock.run_for(10_500)
    before = count()
    await page.evaluate(HIDE)
    for _ in range(3):
        await page.clock.run_for(20_000)
        await page.evaluate("() => fetch('/healthz')")  # requests that were on their way are here now
    assert count() == before
