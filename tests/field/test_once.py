"""One press is one press: a double click, a held Enter and a second tap answer no question and send nothing twice.

Seen in chess and poker servers: a double click on "Resign" resigned at once.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import Friends, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("width", [320, 1000, 1440])
async def test_a_double_click_or_a_held_enter_does_not_resign(open_window: OpenWindow, width: int) -> None:
    """The answer lies elsewhere, takes nothing for 600 ms, and a held key presses nothing."""
    owner = await open_window(width, 640)
    await owner.start("pass_and_play", "gomoku")
    await owner.expect_phase("playing")
    resign = owner.button("Resign")
    place = await resign.bounding_box()
    assert place is not None
    middle = (place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    for _ in range(2):
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
