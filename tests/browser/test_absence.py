"""The opponent who vanishes: a countdown, a choice, an engine that holds the seat, and the way back into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.driver import NewWindow, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_engine_holds_the_seat_until_its_player_is_back(
    window: NewWindow, start_server: Callable[..., Any]
) -> None:
    origin = start_server(grace_ms=300).url
    host, guest = await window(1366, 650, origin=origin), await window(origin=origin)
    await host.start("friend", Your_mark="X")
    await guest.open(await host.invite_link())
    await guest.page.get_by_label("Your name, if you like").fill("Bo")
    await guest.press("Sit down as O")
    await host.play("b2")
    await expect(guest.page.locator(".cell.legal").first).to_be_visible()
    await guest.open("/")

    absence = host.page.locator(".absence")
    await expect(absence).to_contain_text("Bo")
    await host.press("Keep waiting")
    await expect(host.page.get_by_role("button", name="Claim the win")).to_be_hidden()
    await host.press("Choose otherwise")
    await expect(host.page.get_by_role("button", name="Claim the win")).to_be_visible()
    for choice in ("Claim the win", "Claim a draw", "Let the engine hold the seat"):
        await expect(host.page.get_by_role("button", name=choice)).to_be_in_viewport(ratio=1)
    await host.press("Let the engine hold the seat")
    await expect(host.page.locator(".seat[data-mark=O] .seat-note")).to_contain_text("plays for Bo")
    await expect(host.page.locator(".cell[data-mark=O]")).to_have_count(1)

    await guest.page.go_back()
    await guest.press("Take my seat back")
    await expect(host.page.locator(".seat[data-mark=O] .seat-name")).to_have_text("Bo")
    await host.page.locator(".cell.legal").first.click()
    await guest.says("Your turn, O.")
    await guest.page.locator(".cell.legal").first.click()
    await expect(host.page.locator(".cell[data-mark=O]")).to_have_count(2)
