"""One press is one press: a double click, a held Enter and a second tap answer no question and send nothing twice.

Seen in chess and poker servers: a double click on "Resign" resigned at once.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest
from playwright.async_api import Request, Route, WebSocketRoute, expect

from tests.support.browser import Friends, OpenWindow, Window, box
from tests.support.server import RunningServer
from tests.support.tournament_client import new_cup
from tests.support.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDTHS = (320, 768, 1000, 1440)
OFTEN = ("ping", "hello", "visible", "watch", "react")
"""Messages that a press does not send, and reactions, which are meant each time."""
MOVE_UNDER = """([x, y]) => {
  const cell = document.querySelector("[data-cell=b2]").getBoundingClientRect();
  const [right, down] = [x - cell.x - cell.width / 2, y - cell.y - cell.height / 2];
  document.querySelector(".board-area").style.transform = `translate(${right}px, ${down}px)`;
}"""
"""Move the board until the middle of a cell is at a place."""


async def test_a_double_click_or_a_held_enter_does_not_resign(open_window: OpenWindow) -> None:
    """The answer lies elsewhere, and a held key presses nothing."""
    owner = await open_window()
    await owner.start("pass_and_play", "gomoku")
    await owner.expect_phase("playing")
    resign = owner.button("Resign")
    for width in WIDTHS:
        await owner.page.set_viewport_size({"width": width, "height": 640})
        place = await resign.bounding_box()
        assert place is not None
        middle = (place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        await owner.page.mouse.dblclick(*middle)
        answer = owner.button("Resign?")
        await expect(answer).to_be_visible()
        await owner.page.mouse.click(*middle)
        await owner.expect_phase("playing")
        box = await answer.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < place["y"] or box["y"] > place["y"] + place["height"]
        await owner.click("Cancel")
    await resign.focus()
    for _ in range(20):  # each keydown after the first is a repeat
        await owner.page.keyboard.down("Enter")
    await owner.page.keyboard.up("Enter")
    await expect(owner.button("Cancel")).to_be_visible()
    await owner.click("Resign?")
    await owner.expect_phase("finished")


async def test_a_double_click_on_rematch_offers_once(friends: Friends) -> None:
    owner, friend = await friends()
    await owner.play("b2")
    await owner.resign()
    await owner.expect_phase("finished")
    await owner.button("Rematch").evaluate("(node) => { node.click(); node.click(); }")
    await friend.click("Accept rematch")
    await owner.expect_phase("playing")
    await expect(owner.toasts.locator(".toast")).to_have_count(0)


class Sent:
    """What a window sends: requests that change something, and commands. Answers to requests wait for ``goes_on``."""

    def __init__(self, window: Window) -> None:
        self.counts: Counter[str] = Counter()
        self.goes_on = asyncio.Event()
        window.page.on("request", self._request)
        window.page.on("websocket", lambda socket: socket.on("framesent", self._frame))

    def _request(self, request: Request) -> None:
        if request.method not in ("GET", "HEAD") or request.url.endswith("/export"):
            self.counts[f"{request.method} {request.url.rpartition('/api/')[2]}"] += 1

    def _frame(self, payload: str | bytes) -> None:
        message = json.loads(payload)
        if message["type"] not in OFTEN:
            self.counts[message["type"]] += 1

    async def hold(self, route: Route) -> None:
        await self.goes_on.wait()
        await route.continue_()


async def test_no_button_of_the_start_page_makes_two_rooms(open_window: OpenWindow) -> None:
    window = await open_window(390, 844)
    sent = Sent(window)
    await window.page.route("**/api/**", sent.hold)
    for label in ("Invite a friend", "Two on this screen", "Find an opponent", "New tournament"):
        sent.goes_on.set()
        await window.open()
        await expect(window.button(label)).to_be_enabled()
        sent.counts.clear()
        sent.goes_on.clear()
        await window.button(label).dblclick()
        sent.goes_on.set()
        if label == "New tournament":
            await expect(window.page.locator("dialog:modal")).to_have_count(1)
        else:
            await expect(window.page.locator(".room .board")).to_be_visible()
        assert sent.counts["POST rooms"] + sent.counts["POST quickplay"] == (label != "New tournament")


async def test_a_double_click_starts_a_tournament_once(open_window: OpenWindow, server: RunningServer) -> None:
    """The answer comes before the page shows the change. A gift of minutes, which stays, counts once too."""
    cup = await new_cup(server)
    await cup.entrants(2)
    window = await open_window(1000, 900)
    await window.store(guest={"token": cup.host.token, "player": cup.host.player})
    commands: list[str] = []
    answered, late = asyncio.Event(), asyncio.Event()

    async def pass_on_late(page: WebSocketRoute) -> None:
        """Let the tournament come after the answer to a command."""

        def to_server(text: str | bytes) -> None:
            commands.append(json.loads(text)["type"])
            upstream.send(text)

        async def to_page(text: str | bytes) -> None:
            kind = json.loads(text)["type"]
            if kind == "tournament" and "start" in commands:
                await late.wait()
            page.send(text)
            if kind == "ok":
                answered.set()

        upstream = page.connect_to_server()
        page.on_message(to_server)
        upstream.on_message(lambda text: tasks.append(asyncio.create_task(to_page(text))))

    tasks: list[asyncio.Task[None]] = []
    await window.page.route_web_socket("**/ws", pass_on_late)
    await window.open(f"/t/{cup.id}")
    answered.clear()
    await window.click("Start the tournament")
    await answered.wait()
    await window.click("Start the tournament")
    late.set()
    await expect(window.button("Start the tournament")).to_be_hidden()
    await window.button("5 minutes more").dblclick()
    await until(lambda: "extend" in commands)
    await window.page.keyboard.press("Shift")
    await window.click("5 minutes more")
    await until(lambda: commands.count("extend") > 1)
    await asyncio.gather(*tasks)
    assert (commands.count("start"), commands.count("extend")) == (1, 2)


async def test_the_second_half_of_a_press_counts_only_where_the_first_was(friends: Friends) -> None:
    """What came to its place is not pressed, nor what got the focus: a menu's entry, a dialog's field, a cell below."""
    owner, friend = await friends(390, 844, has_touch=True)
    page, sent = owner.page, Sent(owner)
    await owner.button("Settings").evaluate("(node) => { node.click(); node.click(); }")  # its module is not here yet
    await expect(page.locator("dialog:modal")).to_have_count(1)
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog:modal")).to_have_count(0)
    for opener in ("More", "Settings"):
        await owner.button(opener).focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("dialog:modal")).to_have_count(1)
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await expect(page.locator("dialog:modal")).to_have_count(1)
        await page.keyboard.press("Escape")
    await page.get_by_role("button", name="your name and devices").press("Enter")
    await expect(page.locator("dialog:modal input").first).to_be_focused()
    await page.keyboard.press("Enter")  # would save the name
    await page.keyboard.press("Escape")
    await owner.click("More")
    cross = await box(page.locator(".sheet-head .cross"))
    place = (cross["x"] + cross["width"] / 2, cross["y"] + cross["height"] / 2)
    await page.evaluate(MOVE_UNDER, place)
    await page.touchscreen.tap(*place)
    await page.touchscreen.tap(*place)
    await expect(page.locator("dialog:modal")).to_have_count(0)
    assert sent.counts == {}
    await page.evaluate("() => document.querySelector('.board-area').removeAttribute('style')")
    await owner.play("b2")
    await expect(friend.cell("b2")).to_have_attribute("data-mark", "X")


async def test_an_arabic_host_takes_the_name_that_the_page_proposes(open_window: OpenWindow) -> None:
    """The page isolates the date in it from right to left, with characters that no name may have."""
    window = await open_window(390, 844, locale="ar")
    await window.open()
    await window.click("بطولة جديدة")
    await window.click("إنشاء")
    await expect(window.page.locator(".pin")).not_to_be_empty()
    await expect(window.page.locator("h1")).to_contain_text("بطولة")
