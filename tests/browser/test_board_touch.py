"""A finger on a board: one tap plays on every board but the narrowest, and a finger that slides plays where it is lifted."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.async_api import CDPSession, expect

from tests.support.browser import OpenWindow, Window, box

pytestmark = pytest.mark.asyncio(loop_scope="session")

SLANTED: Final = re.compile(r"^matrix\(1 0 0\.6 0\.44 ")
FLAT: Final = re.compile(r"^matrix\(1 0 0 1 ")


class Finger:
    """A finger that presses, slides and is lifted as a test says."""

    def __init__(self, window: Window, session: CDPSession) -> None:
        self._window = window
        self._session = session

    async def _send(self, kind: str, points: list[dict[str, float]]) -> None:
        await self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    async def _at(self, cell: str) -> list[dict[str, float]]:
        at = await box(self._window.cell(cell))
        return [{"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}]

    async def press(self, cell: str) -> None:
        """Press a cell for so long that it is no swipe."""
        await self._send("touchStart", await self._at(cell))
        await expect(self._window.page.locator(".ghost")).to_have_count(1)
        await self._window.page.wait_for_timeout(200)

    async def slide(self, cell: str) -> None:
        """Slide to a cell."""
        await self._send("touchMove", await self._at(cell))

    async def slide_off(self) -> None:
        """Slide to the upper left corner of the window."""
        await self._send("touchMove", [{"x": 4.0, "y": 4.0}])

    async def lift(self) -> None:
        """Lift the finger."""
        await self._send("touchEnd", [])


async def finger_on(window: Window) -> Finger:
    """Return a finger on a window."""
    return Finger(window, await window.context.new_cdp_session(window.page))


async def test_a_finger_slides_to_the_cell_that_it_plays(pass_and_play: OpenWindow) -> None:
    """Show the ghost and a ring 56 px above the finger while it presses. Lifted beside the board, it plays nothing."""
    player = await pass_and_play("classic", 390, 844, has_touch=True)
    finger = await finger_on(player)
    await finger.press("a1")
    ring, cell = player.page.locator(".aim"), await box(player.cell("a1"))
    ring_box = await box(ring)
    assert ring_box["y"] + ring_box["height"] / 2 == pytest.approx(cell["y"] + cell["height"] / 2 - 56, abs=1)
    await finger.slide("b2")
    await expect(player.cell("b2")).to_have_class(re.compile("preview"))
    assert await player.marks() == {}
    await finger.lift()
    await expect(player.cell("b2")).to_have_attribute("data-mark", "X")
    await expect(ring).to_be_hidden()
    await finger.press("c3")
    await finger.slide_off()
    await expect(player.page.locator(".ghost")).to_have_count(0)
    await finger.lift()
    await player.play("a1")
    assert await player.marks() == {"b2": "X", "a1": "O"}


async def test_a_swipe_over_the_start_page_starts_no_game(open_window: OpenWindow) -> None:
    """A page that scrolls takes a finger that moves at once for a scroll."""
    window = await (await open_window(390, 500, has_touch=True)).open()
    await expect(window.cell("b2")).to_be_visible()
    at = await box(window.cell("b2"))
    session = await window.context.new_cdp_session(window.page)
    await session.send(
        "Input.synthesizeScrollGesture",
        {"x": at["x"] + 20, "y": at["y"] + 20, "yDistance": -60, "gestureSourceType": "touch", "speed": 1200},
    )
    await expect(window.page.locator(".start")).to_have_attribute("aria-busy", "false")
    await expect(window.page.locator(".board .ghost")).to_have_count(0)
    assert window.page.url == window.origin + "/"


@pytest.mark.parametrize("place", ["start", "room"])
async def test_narrow_cells_need_a_second_touch(open_window: OpenWindow, place: str) -> None:
    """Choose a cell of gomoku with the first touch, with its crosshair and its name, and play it with the second."""
    player = await open_window(390, 844, has_touch=True)
    if place == "room":
        await player.start("pass_and_play", "gomoku")
        await player.expect_phase("playing")
    else:
        await player.open()
        await player.choose("gomoku")
    await player.cell("h8").tap()
    await expect(player.page.locator(".board .ghost.x")).to_have_count(1)
    await expect(player.page.locator(".crosshair")).to_have_count(1)
    await expect(player.page.locator(".status-line")).to_contain_text("Tap again to play there.")
    await player.cell("i7").tap()
    await expect(player.page.locator(".status-line")).to_contain_text("Tap again to play there.")
    assert await player.marks() == {}
    await player.cell("i7").tap()
    await expect(player.page.locator(".room [data-cell=i7]")).to_have_attribute("data-mark", "X")
    await expect(player.page.locator(".crosshair")).to_have_count(0)


async def test_a_touch_elsewhere_takes_the_choice_back(pass_and_play: OpenWindow) -> None:
    """End the choice with a touch outside the board. A mouse needs one click."""
    player = await pass_and_play("gomoku", 390, 844, has_touch=True)
    await player.cell("c3").tap()
    await player.expect_status("Tap again")
    await player.page.touchscreen.tap(5, 840)
    await expect(player.page.locator(".ghost")).to_have_count(0)
    await player.expect_status("Player 1 to move.")
    await player.cell("h8").click()
    await expect(player.cell("h8")).to_have_attribute("data-mark", "X")


async def test_layers_are_a_stack_where_it_has_room(pass_and_play: OpenWindow) -> None:
    """Open qubic as a slanted stack on a wide window and flat on a phone, change it on request, and keep the choice."""
    phone = await pass_and_play("qubic", 390, 844)
    await expect(phone.page.locator(".cell .area").first).to_have_attribute("transform", FLAT)
    player = await pass_and_play("qubic")
    await expect(player.page.locator(".cell .area").first).to_have_attribute("transform", SLANTED)
    await player.click("More")
    await player.click("Show the layers flat")
    await expect(player.page.locator(".cell .area").first).to_have_attribute("transform", FLAT)
    await player.play("a1.4")
    await player.page.reload()
    await expect(player.page.locator(".cell .area").first).to_have_attribute("transform", FLAT)
