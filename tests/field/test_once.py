"""One press is one press: a double click, a held Enter and a second tap answer no question and send nothing twice.

Seen in chess and poker servers: a double click on "Resign" resigned at once.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import pytest
from playwright.async_api import Request, Route, expect

from tests.support.browser import Friends, OpenWindow, Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDTHS = (320, 768, 1000, 1440)
OFTEN = ("ping", "hello", "visible", "watch", "react")
"""Messages that a press does not send, and reactions, which are meant each time."""


async def test_a_double_click_or_a_held_enter_does_not_resign(open_window: OpenWindow) -> None:
    """The answer lies elsewhere, takes nothing for 600 ms, and a held key presses nothing."""
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
        await expect(answer).to_be_enabled()  # 600 ms later
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
