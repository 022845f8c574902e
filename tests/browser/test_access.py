"""Access: axe in every state of the page and in every set of colours, and what a zoomed page loses."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, Route, expect

from tests.support.axe import violations
from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUT = """() => {
  const shown = [...document.querySelectorAll("main *, .top *")]
    .filter((node) => node.checkVisibility() && !node.closest("svg, .visually-hidden, .board"));
  const cut = (node) => node.matches("button, .button, .seat-name, .status") && node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).display !== "inline";
  const beyond = (node) => node.getBoundingClientRect().right > innerWidth + 1 || node.getBoundingClientRect().left < -1;
  return shown.filter((node) => cut(node) || beyond(node)).map((node) => node.className + ": " + node.textContent);
}"""
"""Return what is cut, or reaches beyond the window."""


async def check(page: Page, state: str) -> None:
    """Check a state."""
    assert await violations(page, state) == []


async def closes(page: Page, dialog: str, state: str) -> None:
    """Check an open dialog, and close it."""
    await expect(page.locator(dialog)).to_be_visible()
    await check(page, state)
    await page.keyboard.press("Escape")
    await expect(page.locator(dialog)).to_be_hidden()


async def test_axe_finds_nothing_on_the_start_page(open_window: OpenWindow) -> None:
    """Check the page with an open room in its lobby, its options, and its dialogs."""
    owner = await open_window(390, 844)
    await owner.start("anyone")
    window = await (await open_window(390, 844)).open()
    page = window.page
    await expect(window.cell("b2")).to_be_visible()
    await expect(page.locator(".rooms li").first).to_be_attached()
    await check(page, "start")
    await page.locator(".lobby").scroll_into_view_if_needed()
    await check(page, "lobby")
    await page.get_by_text("Level: casual").click()
    await expect(page.get_by_label("Clock")).to_be_visible()
    await check(page, "options")
    await page.locator(".guest-button").click()
    await closes(page, "dialog.dialog[open]", "guest")
    await window.click("Settings")
    await closes(page, "dialog.dialog[open]", "settings")
    await page.keyboard.press("?")
    await closes(page, ".keys-dialog", "keys")


async def test_axe_finds_nothing_in_a_wide_room(pass_and_play: OpenWindow) -> None:
    """Check the rules and the moves beside the board, with a move of each player as the newest."""
    window = await pass_and_play("classic", 1440, 900)
    for cell in ("b2", "a1"):
        await window.play(cell)
        await check(window.page, f"wide-{cell}")


async def test_axe_finds_nothing_through_an_evening(open_window: OpenWindow) -> None:
    """Check a room with its invitation, a game, an offer, each section of its sheet, its end and its review."""
    owner, friend = await open_window(390, 844), await open_window(390, 844)
    await owner.start("friend", mark="X")
    await check(owner.page, "share")
    await friend.open(await owner.invite_link())
    await expect(friend.page.get_by_role("button", name="Play as O")).to_be_visible()
    await check(friend.page, "invited")
    await friend.click("Play as O")
    await owner.expect_phase("playing")
    await owner.play("b2")
    await expect(owner.page.locator(".reactions > button")).to_have_count(6)
    await check(owner.page, "game")
    await friend.offer_draw()
    await expect(owner.page.get_by_role("button", name="Accept")).to_be_visible()
    await check(owner.page, "offer")
    await owner.click("Decline")
    await friend.page.locator(".commands .chat").click()
    await friend.page.get_by_label("Write a message").fill("Hello")
    await friend.page.keyboard.press("Enter")
    await expect(friend.page.locator(".chat-lines li")).to_have_count(1)
    await closes(friend.page, ".sheet", "chat")
    await owner.click("More")
    await closes(owner.page, ".sheet", "more")
    for section in ("About this game", "Room settings"):
        await owner.click("More")
        await owner.page.locator(".sheet-menu").get_by_role("button", name=section).click()
        await closes(owner.page, ".sheet", section.lower().replace(" ", "-"))
    await friend.click("More")
    await friend.click("Resign")
    await check(friend.page, "resign")
    await friend.click("Resign?")
    await owner.expect_phase("finished")
    await expect(owner.page.locator(".review-sentence")).not_to_be_empty()
    await check(owner.page, "end")
    await owner.click("Change game")
    await closes(owner.page, ".sheet", "change")
    await owner.click("Share")
    await closes(owner.page, ".share-game", "share-game")
    await owner.click("Review")
    await expect(owner.page.locator("section.review")).to_be_visible()
    await check(owner.page, "review")


async def test_axe_finds_nothing_on_other_pages(open_window: OpenWindow) -> None:
    window = await open_window(390, 844)
    for state, path in {
        "no-room": "/r/nope",
        "replay": "/replay#classic=b2,a1,c1,a2,a3",
        "missing": "/no-such-page",
        "wrong-replay": "/replay#classic=z9",
        "embedded-replay": "/embed/replay#classic=b2,a1,c1,a2,a3",
    }.items():
        await window.open(path)
        await expect(window.page.locator("main > *").first).to_be_visible()
        await expect(window.page.get_by_role("heading", name="Connecting")).to_be_hidden()
        await check(window.page, state)


async def test_axe_finds_nothing_without_javascript(open_window: OpenWindow) -> None:
    """Check the page as its HTML is, with what it shows where scripts are off."""
    window = await open_window(390, 844)

    async def without_scripts(route: Route) -> None:
        answer = await route.fetch()
        html = re.sub(r"(?s)<script.*?</script>|</?noscript>", "", await answer.text())
        await route.fulfill(response=answer, body=html)

    await window.page.route(window.origin + "/", without_scripts)
    await window.open()
    await expect(window.page.get_by_text("needs JavaScript")).to_be_visible()
    await check(window.page, "noscript")


async def test_screen_readers_hear_only_what_happened(pass_and_play: OpenWindow) -> None:
    """In a game for two on one screen, no friend is waited for, and no connection was lost."""
    player = await pass_and_play("classic", 390, 844)
    await player.play("b2", "a1")
    await player.expect_announcement("O played row 1, column 1.")
    spoken = await player.page.locator("#announcements p").all_inner_texts()
    assert [line for line in spoken if line != "Connecting…"] == [
        "The game has started. Player 1 to move.",
        "X played row 2, column 2. Player 2 to move.",
        "O played row 1, column 1. Player 1 to move.",
    ]


# --- zoom ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["de", "ar"])
async def test_large_text_loses_nothing(open_window: OpenWindow, language: str) -> None:
    """At 320 px, which is 400 % zoom of 1280 px, and at 200 % text, no text is cut and nothing scrolls sideways."""
    window = await open_window(320, 568, locale=language)
    await window.start("engine")
    for width, height in ((320, 568), (844, 390), (1440, 900)):
        await window.page.set_viewport_size({"width": width, "height": height})
        for size in ("100%", "200%"):
            await window.page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
            assert await window.page.evaluate(CUT) == [], (width, size)


async def test_open_options_never_scroll_the_page_sideways(open_window: OpenWindow) -> None:
    """At 320 px and with large text."""
    window = await (await open_window(320, 568, locale="de")).open()
    await window.page.locator("details.options > summary").click()
    await expect(window.page.locator(".option-inputs")).to_be_visible()
    for size in ("100%", "200%"):
        await window.page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
        assert not await window.scrolls_sideways(), size
