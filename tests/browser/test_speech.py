"""What people say in a room: bubbles at the strips, reactions beside the turn, and phrases at the end of a game."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.browser import Friends, OpenWindow, Window, box

pytestmark = pytest.mark.asyncio(loop_scope="session")

BUBBLE_MS = 4_100


async def react(window: Window) -> None:
    """React with the first emoji, in one tap."""
    await window.page.locator(".reactions > button").first.tap()


async def test_words_come_out_of_the_strip_of_their_author(open_window: OpenWindow, friends: Friends) -> None:
    """Show reactions, lines and phrases where the players look, for a while, and let a screen reader say each once."""
    owner, friend = await friends(390, 844, has_touch=True)
    spectator = await (await open_window(390, 844)).open(owner.page.url)
    await owner.page.clock.install()
    bubbles, text = owner.page.locator(".bubble"), owner.page.locator(".upper > .bubble")
    await react(friend)
    await expect(friend.page.locator(".lower > .bubble[data-emoji]")).to_have_text("👍")
    await expect(text).to_have_text("👍")
    assert await text.locator(".bubble-text").evaluate("node => getComputedStyle(node).fontSize") == "44px"
    await expect(owner.page.locator("#announcements").get_by_text("reacts with")).to_have_count(1)
    await owner.page.clock.fast_forward(BUBBLE_MS)
    await expect(bubbles).to_have_count(0)

    await friend.page.locator(".commands .chat").click()
    await friend.page.get_by_label("Write a message").fill("Watch <b>this</b>. " * 12)
    await friend.page.keyboard.press("Enter")
    await expect(text).to_contain_text("Watch <b>this</b>.")
    height = await text.locator(".bubble-text").evaluate(
        "node => node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
    )
    assert height == pytest.approx(2, abs=0.1)
    await text.tap()
    await owner.page.locator(".author").click()
    await owner.click("Mute for me")
    await owner.click("Close")
    await owner.page.clock.fast_forward(BUBBLE_MS)
    await friend.click("Close")
    await react(friend)
    await spectator.page.locator(".reactions > button").last.click()
    await expect(owner.page.locator(".commands .chat > .bubble")).to_have_text("❤️")
    await expect(bubbles).to_have_count(1)  # none of the friend, who reacted before

    await friend.page.emulate_media(reduced_motion="reduce")
    for cell, mover in zip(("b2", "a1", "c1", "a2", "a3"), [owner, friend] * 3, strict=False):
        await mover.play(cell)
    await owner.click("Good game")
    await expect(friend.page.locator(".upper > .bubble")).to_have_text("Good game")
    await expect(spectator.page.locator(".phrases")).to_be_hidden()


async def test_six_reactions_are_one_tap_away(friends: Friends) -> None:
    """Show six large buttons in one row below or beside the turn, which a key presses too, in colour."""
    owner, friend = await friends()
    buttons = owner.page.locator(".reactions > button")
    for width, height in ((320, 568), (390, 844), (1440, 900)):
        await owner.page.set_viewport_size({"width": width, "height": height})
        await expect(buttons).to_have_count(6)
        for button in await buttons.all():
            await expect(button).to_be_in_viewport(ratio=1)
        boxes = [await box(button) for button in await buttons.all()]
        assert {round(rectangle["y"]) for rectangle in boxes} == {round(boxes[0]["y"])}
        assert min(min(rectangle["width"], rectangle["height"]) for rectangle in boxes) >= 44
    assert "Emoji" in await buttons.first.evaluate("node => getComputedStyle(node).fontFamily")
    await buttons.nth(1).press("Enter")
    await expect(friend.page.locator(".upper > .bubble")).to_have_text("👏")
