"""An absent opponent: the countdown, the choice, the engine as a stand-in, and the return of the player."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.async_api import expect

from tests.support.browser import OpenWindow
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_engine_plays_until_the_absent_player_returns(
    open_window: OpenWindow, start_server: Callable[..., RunningServer]
) -> None:
    """The opponent waits, changes their mind and seats a stand-in. The absent player takes the seat back and plays on."""
    origin = start_server(grace_ms=300).url
    owner, friend = await open_window(1366, 650, origin=origin), await open_window(origin=origin)
    await owner.start("friend", mark="X")
    await friend.open(await owner.invite_link())
    await friend.page.get_by_label("Your name (optional)").fill("Bo")
    await friend.click("Play as O")
    await owner.play("b2")
    await expect(friend.page.locator(".cell.legal").first).to_be_visible()
    await friend.open("/")

    await expect(owner.page.locator(".prompt")).to_contain_text("Bo")
    await expect(owner.page.locator(".seat[data-mark=O]")).to_have_attribute("data-presence", "away")
    await owner.click("Choose…")
    await owner.click("Close")
    await expect(owner.page.get_by_role("button", name="Claim the win")).to_be_hidden()
    await owner.click("Choose…")
    await expect(owner.page.get_by_role("button", name="Claim the win")).to_be_visible()
    for label in ("Claim the win", "Claim a draw", "Let Otto play for them"):
        await expect(owner.page.get_by_role("button", name=label)).to_be_in_viewport(ratio=1)
    controls = await owner.page.locator(".choices:modal").aria_snapshot()
    assert controls.index("Claim a draw") < controls.index("Let Otto") < controls.index("Level")
    await owner.click("Let Otto play for them")
    await expect(owner.page.locator(".seat[data-mark=O] .seat-note")).to_contain_text("plays for Bo")
    await expect(owner.page.locator(".cell[data-mark=O]")).to_have_count(1)

    await friend.page.go_back()
    await friend.click("Take your seat back")
    await expect(owner.page.locator(".seat[data-mark=O] .seat-name")).to_have_text("Bo")
    await owner.page.locator(".cell.legal").first.click()
    await friend.expect_status("Your turn.")
    await friend.page.locator(".cell.legal").first.click()
    await expect(owner.page.locator(".cell[data-mark=O]")).to_have_count(2)
