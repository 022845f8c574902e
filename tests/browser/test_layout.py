"""The layout of a room: nothing moves, buttons keep their places, and notices cover neither boards nor buttons."""

from __future__ import annotations

import pytest
from playwright.async_api import FloatRect, expect

from tests.support.browser import Friends, OpenWindow, Rival, box
from tests.support.layout_shifts import expect_no_shifts, observe_shifts
from tests.support.player import enter, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_rematch_keeps_its_place(rival: Rival) -> None:
    """Play, end and want a rematch: the layout stays, and so does the button that a finger aims at."""
    owner, friend = await rival(390, 844)
    await owner.play("b2")
    more = await box(owner.button("More"))
    for answer, cell in (("a1", "c1"), ("a2", "a3")):
        await friend.until_room(lambda view: view["game"]["turn"] == "O")
        await friend.move(answer)
        await owner.play(cell)
    await owner.expect_status("You win")
    await expect(owner.button("Take back")).to_be_hidden()
    rematch = await box(owner.button("Rematch"))
    await friend.ok("offer", what="rematch", game=1)
    await expect(owner.page.get_by_role("button", name="Accept rematch")).to_be_visible()
    assert await box(owner.button("Accept rematch")) == pytest.approx(rematch, abs=0.5)
    assert await box(owner.button("More")) == pytest.approx(more, abs=0.5)
    await owner.click("Accept rematch")
    await owner.expect_phase("playing")
    await expect_no_shifts(owner)
    colours = await owner.page.locator(".room").evaluate(
        "room => ['--accent', '--o'].map(name => getComputedStyle(room).getPropertyValue(name))"
    )
    assert colours[0] == colours[1]  # a rematch swaps the marks


async def test_tap_leaves_no_button_pressed(pass_and_play: OpenWindow) -> None:
    """Look the same before and after a tap, because a finger does not hover."""
    owner = await pass_and_play("classic", 390, 844, has_touch=True, is_mobile=True)
    button = owner.button("More")
    background = "button => getComputedStyle(button).backgroundColor"
    before = await button.evaluate(background)
    await button.tap()
    await owner.button("Close").tap()
    assert await button.evaluate(background) == before


async def test_toasts_cover_no_button_card_or_dialog(open_window: OpenWindow) -> None:
    """Show the confirmation of a copied link beside everything that can be touched."""
    owner = await open_window(320, 568, permissions=["clipboard-read", "clipboard-write"])
    await owner.start("friend")
    for width, height in ((320, 568), (390, 844), (844, 390), (1440, 900)):
        await owner.page.set_viewport_size({"width": width, "height": height})
        await owner.click("Copy link")
        await expect(owner.page.locator(".toast")).to_have_text("Link copied.")
        covered = await owner.page.evaluate(
            """() => {
              const toast = document.querySelector(".toast").getBoundingClientRect();
              return [...document.querySelectorAll("button, a, .board-overlay .card, dialog[open]")].filter(node => {
                const box = node.getBoundingClientRect();
                const isBeside = box.right <= toast.left || toast.right <= box.left;
                return box.width && !isBeside && box.top < toast.bottom && toast.top < box.bottom;
              }).map(node => node.className || node.textContent);
            }"""
        )
        assert covered == [], (width, height)


LARGE = {
    "classic": [(1440, 900, 0.45), (1920, 1080, 0.4), (2560, 1440, 0.3), (844, 390, 0.4), (820, 1180, 0.8)],
    "gomoku": [(1366, 650, 0.38)],
    "qubic": [(1440, 900, 0.4)],
}
"""Widths and heights of windows in px, and the least share of the width that the board has."""
NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolve once the page has followed a change of its size."""


@pytest.mark.parametrize("variant", LARGE)
async def test_board_is_large(pass_and_play: OpenWindow, variant: str) -> None:
    """Give the board a large part of the window, and the height of a low one. Show all of it, and every button.

    On a wide window board, strips and card are one block of at most 1600 px in the middle.
    """
    player = await pass_and_play(variant)
    await player.play("b1.1" if variant == "qubic" else "b2")
    for width, height, share in LARGE[variant]:
        await player.page.set_viewport_size({"width": width, "height": height})
        await player.page.evaluate(NEXT_FRAME)
        rectangle = await box(player.page.locator(".board"))
        assert rectangle["width"] >= share * width
        assert rectangle["y"] + rectangle["height"] <= height
        for name in ("Take back", "More"):
            await expect(player.button(name)).to_be_in_viewport(ratio=1)
        if width >= 1920:
            strip = await box(player.page.locator(".seat.lower"))
            left, right = rectangle["x"], strip["x"] + strip["width"]
            assert right - left <= 1600
            assert (left + right) / 2 == pytest.approx(width / 2, abs=30)
        assert not await player.scrolls_sideways()


async def test_end_of_a_game_fits_a_small_phone(friends: Friends) -> None:
    """Show the outcome, the sentence and every button at 320 by 568, none of them below the row of buttons."""
    windows = await friends(320, 568)
    for number, cell in enumerate(("b2", "a1", "c1", "a2", "a3")):
        await windows[number % 2].play(cell)
    await expect(windows[1].button("From here")).to_be_enabled()
    for window in windows:
        await expect(window.page.locator(".review-sentence")).not_to_be_empty()
        row = await box(window.page.locator(".commands"))
        for name in ("Share", "Good game"):
            button = await box(window.button(name))
            assert button["y"] + button["height"] <= row["y"]


async def test_a_chat_beside_the_board_has_been_seen(rival: Rival, server: RunningServer) -> None:
    """Take the badge away when a wider window shows the line, and with it the button of the chat."""
    owner, _ = await rival(390, 844)
    async with enter(server, owner.page.url.rpartition("/")[2], await guest(server.url)) as spectator:
        await spectator.ok("chat", text="Hello")
    await expect(owner.page.locator(".badge")).to_be_visible()
    await owner.page.set_viewport_size({"width": 1440, "height": 900})
    await expect(owner.page.get_by_label("Write a message")).to_be_visible()
    await expect(owner.page.locator(".badge")).to_be_hidden()
    await expect(owner.page.locator(".commands .chat")).to_be_hidden()  # it would open what is open


async def test_the_review_ends_above_the_buttons_of_a_phone(pass_and_play: OpenWindow) -> None:
    """Show a long game's moves in one row, which the page does not have to scroll to."""
    player = await pass_and_play("4x4", 390, 844)
    await player.play(*"a1 b1 c1 d1 a2 b2 c2 d2 b3 a3 d3 c3 a4 b4 c4 d4".split())
    await player.click("Review")
    for _ in range(2):
        moves = await box(player.page.locator(".move-list"))
        row = await box(player.page.locator(".commands"))
        assert moves["y"] + moves["height"] <= row["y"]
        assert not await player.scrolls_sideways()
        await player.open("/replay#classic=b2,a1,c1,a2,a3")
        await expect(player.page.locator(".replay .segment[data-changed]")).to_be_visible()


async def test_spectator_list_leaves_out_the_players(rival: Rival) -> None:
    """Never list a player as a spectator, not even for the two seconds after they sat down."""
    owner, _ = await rival(390, 844)
    await owner.click("More")
    await owner.click("About this game")
    await expect(owner.page.locator(".people p").first).to_contain_text("O:")
    await expect(owner.page.locator(".spectators")).to_be_hidden()
    await expect(owner.page.get_by_text("0 spectators")).to_have_count(0)


async def test_the_whole_invite_card_is_seen(open_window: OpenWindow) -> None:
    """Show its last line too, which says that the link works on this computer only."""
    owner = await open_window(844, 390)
    await owner.start("friend")
    card = owner.page.locator(".board-overlay .share")
    for width, height in ((844, 390), (320, 568)):
        await owner.page.set_viewport_size({"width": width, "height": height})
        await expect(card.locator(".local")).to_be_in_viewport(ratio=1)
        assert await card.evaluate("card => card.scrollHeight <= card.clientHeight")


async def test_the_card_is_beside_the_middle_of_the_board(pass_and_play: OpenWindow) -> None:
    """On a wide window the eye does not travel from the line to the outcome. The sheet cuts no game's picture.

    The review of a short game needs no scrolling.
    """
    player = await pass_and_play("classic", 1440, 900)
    await player.play("b2", "a1", "c1", "a2", "a3")
    await expect(player.page.locator(".review-sentence")).not_to_be_empty()
    board, card = await box(player.board), await box(player.page.locator(".outcome-card"))
    middle = board["y"] + board["height"] / 2
    assert card["y"] - 40 <= middle <= card["y"] + card["height"] + 40
    assert card["x"] - (board["x"] + board["width"]) <= 48
    await expect(player.page.locator(".outcome-card .legend")).to_be_hidden()  # in a short game
    await player.click("Change game")
    games = player.page.locator(".change .option")
    await expect(games).to_have_count(9)
    assert await games.evaluate_all("games => games.filter(game => game.scrollWidth > game.clientWidth).length") == 0
    await player.page.keyboard.press("Escape")
    await player.click("Review")
    await expect(player.page.locator("section.review")).to_be_visible()
    assert await player.page.locator(".zone").evaluate("zone => zone.scrollHeight <= zone.clientHeight")


async def test_no_part_of_a_page_covers_what_has_the_focus(open_window: OpenWindow, pass_and_play: OpenWindow) -> None:
    """The row of buttons covers no move of the review. On a phone on its side, the board covers no link below it."""
    player = await pass_and_play("classic", 390, 844)
    await player.play("b2", "a1", "c1", "a2", "a3")
    await player.click("Review")
    await expect(player.page.locator(".review .move")).to_have_count(5)
    covered = await player.page.locator(".review .move").evaluate_all(
        """moves => moves.filter(move => {
          scrollTo(0, 0);
          move.focus();
          const { left, top, width, height } = move.getBoundingClientRect();
          return !move.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }).length"""
    )
    assert covered == 0
    visitor = await (await open_window(844, 390)).open()
    await visitor.page.get_by_role("link", name="See how a computer thinks").click(trial=True)


SIZES = ((320, 568), (844, 390), (820, 1180), (1024, 768), (1440, 900), (2560, 1440), (390, 844))


async def test_the_board_stays_under_the_pointer(open_window: OpenWindow) -> None:
    """Keep the board's box from the start page through the first tap, the game, its review and its replay."""
    player = await open_window(*SIZES[-1])
    await observe_shifts(player)
    await player.open()
    board = player.page.locator(".board-holder .board")

    async def boxes() -> list[FloatRect]:
        rectangles = []
        for width, height in SIZES:
            await player.page.set_viewport_size({"width": width, "height": height})
            await player.page.evaluate(NEXT_FRAME)
            rectangles.append(await box(board))
        return rectangles

    await expect(player.page.locator(".start .daily-puzzle")).to_be_visible()
    await expect_no_shifts(player)
    start = await boxes()
    await player.page.evaluate("() => { window.shifts = []; }")
    await player.cell("b2").click()
    await player.expect_phase("playing")
    await expect(player.cell("b2")).to_have_attribute("data-mark", "X")
    await expect(player.page.locator(".seat.upper")).to_contain_text("Otto")
    await expect_no_shifts(player)
    after = {"room": await boxes()}
    await player.resign()
    await player.click("Review")
    await expect(player.page.locator("section.review")).to_be_visible()
    after["review"] = await boxes()
    await player.open("/replay#classic=b2,a1,c1,a2,a3")
    await expect(player.page.locator(".replay section.review")).to_be_visible()
    after["replay"] = await boxes()
    for name, rectangles in after.items():
        for size, first, then in zip(SIZES, start, rectangles, strict=True):
            assert then == pytest.approx(first, abs=4), (name, size)
