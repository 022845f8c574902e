"""The layout of a room: nothing moves, buttons keep their places, and notices cover neither boards nor buttons."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.support.browser import OpenWindow, Window
from tests.support.layout_shifts import expect_no_shifts, observe_shifts

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def friends(open_window: OpenWindow, **options: object) -> tuple[Window, Window]:
    """Return the windows of X, who owns the room, and of O, on phones. Their game is on."""
    owner, friend = await open_window(390, 844, **options), await open_window(390, 844, **options)
    for window in (owner, friend):
        await observe_shifts(window)
    await owner.start("friend")
    await friend.open(await owner.invite_link())
    await friend.click("Play as O")
    for window in (owner, friend):
        await window.expect_phase("playing")
    return owner, friend


async def box(page: Page, name: str) -> tuple[float, ...]:
    """Return the rectangle of a button."""
    rectangle = await page.get_by_role("button", name=name, exact=True).bounding_box()
    assert rectangle is not None
    return tuple(round(rectangle[side]) for side in ("x", "y", "width", "height"))


async def test_evening_moves_nothing_and_rematch_keeps_its_place(open_window: OpenWindow) -> None:
    """Join, offer, play, end and want a rematch: the layout stays, and so does the button that a finger aims at."""
    owner, friend = await friends(open_window)
    await owner.play("b2")
    more = await box(owner.page, "More")
    await friend.click("Draw")
    await expect(owner.page.get_by_role("button", name="Accept")).to_be_visible()
    await owner.click("Decline")
    for cell, mover in zip(("a1", "c1", "a2", "a3"), [friend, owner] * 2, strict=True):
        await mover.play(cell)
    await owner.expect_status("You win")
    resign = await owner.page.get_by_role("button", name="Resign").count()
    assert resign == 0
    rematch = await box(owner.page, "Rematch")
    await friend.click("Rematch")
    await expect(owner.page.get_by_role("button", name="Accept rematch")).to_be_visible()
    assert await box(owner.page, "Accept rematch") == rematch
    assert await box(owner.page, "More") == more
    await owner.click("Accept rematch")
    await owner.expect_phase("playing")
    for window in (owner, friend):
        await expect_no_shifts(window)


async def test_leaving_can_be_undone(open_window: OpenWindow) -> None:
    """Wait five seconds before the seat is given up, so that a wrong tap costs nothing."""
    owner, friend = await friends(open_window)
    await owner.click("Resign")
    await owner.click("Yes, resign")
    await friend.page.clock.install()
    await friend.click("More")
    await friend.click("Leave")
    await expect(friend.page.locator(".prompt-text")).to_contain_text("You leave in")
    await friend.click("Stay")
    await friend.page.clock.fast_forward(6_000)
    await owner.expect_phase("finished")
    await friend.click("More")
    await friend.click("Leave")
    await friend.page.clock.fast_forward(6_000)
    await owner.expect_phase("waiting")


async def test_tap_leaves_no_button_pressed(open_window: OpenWindow) -> None:
    """Look the same before and after a tap, because a finger does not hover."""
    owner, _ = await friends(open_window, has_touch=True, is_mobile=True)
    button = owner.page.get_by_role("button", name="More", exact=True)
    background = "button => getComputedStyle(button).backgroundColor"
    before = await button.evaluate(background)
    await button.tap()
    await owner.page.get_by_role("button", name="Close", exact=True).tap()
    assert await button.evaluate(background) == before


async def test_toasts_cover_no_button_board_or_dialog(open_window: OpenWindow) -> None:
    """Show the confirmation of a copied link beside everything that can be touched."""
    for width, height in ((320, 568), (390, 844), (844, 390), (1440, 900)):
        owner = await open_window(width, height, permissions=["clipboard-read", "clipboard-write"])
        await owner.start("friend")
        await owner.click("Copy")
        await expect(owner.page.locator(".toast")).to_have_text("Link copied.")
        covered = await owner.page.evaluate(
            """() => {
              const toast = document.querySelector(".toast").getBoundingClientRect();
              return [...document.querySelectorAll("button, a, .board, dialog[open]")].filter(node => {
                const box = node.getBoundingClientRect();
                const isBeside = box.right <= toast.left || toast.right <= box.left;
                return box.width && !isBeside && box.top < toast.bottom && toast.top < box.bottom;
              }).map(node => node.className || node.textContent);
            }"""
        )
        assert covered == [], (width, height)


async def test_closed_room_says_so_once_and_keeps_the_header(open_window: OpenWindow) -> None:
    """Say in one sentence that the room was closed, below the header."""
    owner = await open_window(390, 844)
    await owner.start("friend")
    await owner.click("More")
    await owner.click("Room settings")
    await owner.click("Close the room")
    await owner.click("Yes, close it")
    await expect(owner.page.get_by_role("link", name="Create a new room")).to_be_visible()
    await expect(owner.page.get_by_text("This room was closed.").locator("visible=true")).to_have_count(
        2
    )  # one is for screen readers
    await expect(owner.page.locator(".toast")).to_have_count(0)
    await owner.page.get_by_role("link", name="Noughts").first.click(trial=True)


@pytest.mark.parametrize(
    ("width", "height", "share"), [(1440, 900, 0.45), (1920, 1080, 0.45), (2560, 1440, 0.45), (844, 390, 0.4)]
)
async def test_board_is_large(open_window: OpenWindow, width: int, height: int, share: float) -> None:
    """Give the board at least 45 % of a wide window, and the height of a phone in landscape."""
    player = await open_window(width, height)
    await player.start("pass_and_play")
    rectangle = await player.page.locator(".board").bounding_box()
    assert rectangle is not None
    assert rectangle["width"] >= share * width
    assert rectangle["y"] + rectangle["height"] <= height
    for name in ("Draw", "Take back", "Resign", "More"):
        await expect(player.page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    assert not await player.scrolls_sideways()


async def test_end_of_a_game_fits_a_small_phone(open_window: OpenWindow) -> None:
    """Show the outcome, the sentence of the review and every button at 320 by 568, and none below the row of buttons."""
    player = await open_window(320, 568)
    await player.start("pass_and_play")
    await player.play("b2", "a1", "c1", "a2", "a3")
    await expect(player.page.locator(".review-sentence")).not_to_be_empty()
    row = await player.page.locator(".commands").bounding_box()
    assert row is not None
    for name in ("Share", "Change game or level"):
        button = await player.page.get_by_role("button", name=name, exact=True).bounding_box()
        assert button is not None
        assert button["y"] + button["height"] <= row["y"]


async def test_a_chat_beside_the_board_has_been_seen(open_window: OpenWindow) -> None:
    """Take the badge away when a wider window shows the line. The button of the chat then puts the focus into it."""
    owner, friend = await friends(open_window)
    await friend.page.locator(".commands .chat").click()
    await friend.page.get_by_label("Write a message").fill("Hello")
    await friend.page.keyboard.press("Enter")
    await expect(owner.page.locator(".badge")).to_be_visible()
    await owner.page.set_viewport_size({"width": 1440, "height": 900})
    await expect(owner.page.get_by_label("Write a message")).to_be_visible()
    await expect(owner.page.locator(".badge")).to_be_hidden()
    await owner.page.locator(".commands .chat").click()
    await expect(owner.page.get_by_label("Write a message")).to_be_focused()


async def test_the_review_beside_a_board_needs_no_scrolling(open_window: OpenWindow) -> None:
    """Fit the review of a short game between the strips of both players."""
    player = await open_window(1440, 900)
    await player.start("pass_and_play")
    await player.play("b2", "a1", "c1", "a2", "a3")
    await player.click("Review")
    await expect(player.page.locator("section.review")).to_be_visible()
    assert await player.page.locator(".zone").evaluate("zone => zone.scrollHeight <= zone.clientHeight")


async def test_spectator_list_leaves_out_the_players(open_window: OpenWindow) -> None:
    """Never list a player as a spectator, not even for the two seconds after they sat down."""
    owner, _ = await friends(open_window)
    await owner.click("More")
    await owner.click("People")
    await expect(owner.page.locator(".people p").first).to_contain_text("O:")
    await expect(owner.page.locator(".spectators")).to_be_hidden()
    await expect(owner.page.get_by_text("0 spectators")).to_have_count(0)
