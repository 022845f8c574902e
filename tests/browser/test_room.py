"""A room: invitation, spectators, offers, the engine, pass and play, chat, settings, and its end."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.support.browser import Friends, OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_invite_link_needs_a_click_to_take_the_seat(open_window: OpenWindow) -> None:
    """Remove the secret from the address bar, survive a reload, and take the seat only on a click."""
    owner, friend = await open_window(), await open_window()
    await owner.store(choice={"variant": "classic", "mark": "X"})
    await owner.open()
    await owner.click("Invite a friend")
    link = await owner.invite_link()
    secret = link.partition("#i=")[2]
    assert len(secret) >= 16
    assert secret not in owner.page.url
    await friend.open(link)
    await expect(friend.page.get_by_role("button", name="Play as O")).to_be_visible()
    assert friend.page.url == link.partition("#")[0]
    await friend.page.reload()
    await expect(friend.page.get_by_role("button", name="Play as O")).to_be_visible()
    await owner.expect_phase("waiting")
    await friend.page.get_by_label("Your name (optional)").fill("Béatrice")
    await friend.click("Play as O")
    await owner.expect_phase("playing")
    await expect(owner.page.locator(".seat[data-mark=O] .seat-name")).to_have_text("Béatrice")


async def test_share_card_copies_links_and_shows_a_qr_code(open_window: OpenWindow) -> None:
    """Copy both links. A desk always shows the QR code, a phone when asked."""
    phone = await open_window(390, 844)
    await phone.start("friend")
    await phone.click("Show QR code")
    await expect(phone.page.get_by_role("img", name="QR code of the invite link")).to_be_visible()
    owner = await open_window(permissions=["clipboard-read", "clipboard-write"])
    await owner.start("friend")
    await expect(owner.page.get_by_role("img", name="QR code of the invite link")).to_be_visible()
    await owner.click("Copy link")
    await expect(owner.toasts).to_contain_text("Link copied.")
    assert await owner.page.evaluate("() => navigator.clipboard.readText()") == await owner.invite_link()
    await owner.click("More")
    await owner.click("Copy link to watch")
    await expect(owner.page.locator(".sheet .dialog-toasts")).to_contain_text("Link copied.")


async def test_two_players_and_a_spectator(open_window: OpenWindow, friends: Friends) -> None:
    """Play a game with a spectator, then a rematch with the marks swapped."""
    owner, friend = await friends()
    spectator = await (await open_window()).open(await owner.invite_link())
    await spectator.expect_phase("playing")
    await expect(spectator.page.locator(".prompt-text")).to_have_text(
        "Two people are playing already. You are watching."
    )
    await owner.click("More")
    await owner.click("About this game")
    await expect(owner.page.locator(".spectators")).to_contain_text("1 spectator")
    await owner.click("Close")
    for cell, mover in zip(("b2", "a1", "c1", "a3", "a2", "b1", "c2"), [owner, friend] * 4, strict=False):
        await mover.play(cell)
    for window in (owner, friend, spectator):
        await window.expect_phase("finished")
    await owner.expect_status("You win")
    await friend.expect_status("So close")
    await spectator.expect_status("wins")
    assert await spectator.marks() == await owner.marks()
    await expect(spectator.page.locator(".cell.line")).to_have_count(3)
    await expect(owner.page.locator(".seat[data-mark=X] .seat-wins")).to_have_text("1")

    await spectator.page.set_viewport_size({"width": 390, "height": 664})  # the prompt replaces the buttons of the end
    await expect(spectator.button("Share")).to_be_hidden()
    await spectator.click("More")
    await spectator.click("Share this game")
    await expect(spectator.page.locator(".share-game")).to_be_visible()
    await expect(spectator.page.locator(".sheet")).to_be_hidden()

    await friend.click("Rematch")
    await owner.click("Accept rematch")
    for window in (owner, friend, spectator):
        await window.expect_phase("playing")
    await friend.expect_status("Your turn.")
    assert await spectator.marks() == {}


async def test_offers_are_declined_accepted_and_withdrawn(friends: Friends) -> None:
    """Answer offers of a takeback and of a draw in every way."""
    owner, friend = await friends()
    await owner.play("b2")
    await owner.click("Take back")
    await friend.click("Accept")
    await expect(owner.page.locator(".cell[data-mark]")).to_have_count(0)
    await owner.offer_draw()
    await owner.click("Withdraw")
    await expect(friend.page.locator(".prompt:visible")).to_have_count(0)
    await owner.offer_draw()
    await friend.click("Decline")
    await expect(owner.toasts).to_contain_text("Your offer was declined.")
    await friend.offer_draw()
    await owner.click("Accept")
    await friend.expect_status("You agreed on a draw.")


async def test_resigning_asks_first_and_leads_to_a_rematch(open_window: OpenWindow) -> None:
    """Ask in a dialog, and return the focus to the button that asked."""
    player = await open_window()
    await player.start("pass_and_play", "four-in-a-row")
    await player.expect_phase("playing")
    await player.click("Resign")
    await expect(player.button("Cancel")).to_be_focused()
    await player.page.keyboard.press("Escape")
    await expect(player.button("Resign")).to_be_focused()
    await player.resign()
    await player.expect_status("Player 1 resigned.")
    await expect(player.page.locator("[role=gridcell]:focus")).to_have_count(1)
    await player.click("Rematch")
    await player.expect_phase("playing")


async def test_no_tap_ends_a_game_against_the_engine(open_window: OpenWindow) -> None:
    """Offer a new game and take back, with draw and resign in the menu. The engine declines an early draw.

    The end of a game without moves has no link to how the engine knew it.
    """
    player = await open_window(390, 844)
    await player.start("engine", level="novice")
    await player.play("b2")
    await expect(player.page.locator(".cell[data-mark=O]")).to_have_count(1)
    labels = [text for text in await player.page.locator(".commands button:visible").all_inner_texts() if text]
    assert labels == ["New game", "Take back", "More"]
    await player.offer_draw()
    await expect(player.toasts).to_contain_text("Your offer was declined.")
    await player.expect_phase("playing")
    await player.click("Take back")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(0)
    await player.resign()
    await player.expect_status("You resigned.")
    await expect(player.page.get_by_role("link", name="How did it know?")).to_be_hidden()


async def test_a_series_against_the_engine_stays_in_its_room(open_window: OpenWindow) -> None:
    """Begin once more, and change the level and the game, with the score: from the next game on.

    Before the second mark of the first game the level changes at once. After two wins in a row the next level is offered.
    """
    player = await open_window(390, 844)
    await player.start("engine", level="novice")
    levels = player.page.get_by_role("radiogroup", name="Level")
    await levels.get_by_role("radio", name="casual").check(force=True)
    await expect(player.page.locator(".seat-note", has_text="casual")).to_be_visible()
    room = player.page.url
    await player.page.locator(".cell.legal").first.click()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(2)
    await player.page.locator(".cell.legal").first.click()
    await player.click("New game")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(0)
    await player.page.locator(".cell.legal").first.click()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(2)
    await levels.get_by_role("radio", name="skilled").check(force=True)
    await expect(levels.get_by_role("radio", name="skilled")).to_be_checked()
    await expect(player.page.locator(".seat-note", has_text="casual")).to_be_visible()
    await player.resign()
    tally = {"won": 2, "drawn": 0, "lost": 0, "beaten": ["skilled"], "level": "skilled", "run": 2}
    games = {"latest": [], "friends": [], "counted": [], "tallies": {"classic": tally}}
    await player.page.evaluate("games => localStorage.setItem('noughts.played', JSON.stringify(games))", games)
    await player.click("Rematch")
    await player.expect_phase("playing")
    await expect(player.page.locator(".seat-note", has_text="skilled")).to_be_visible()
    await expect(player.page.locator("[data-next]")).to_have_count(1)
    await player.click("More")
    await player.click("Change game")
    await player.page.locator(".change input[value=misere]").check(force=True)
    await player.page.locator(".change").get_by_role("button", name="Play").click()
    await expect(player.page.locator(".sheet:modal")).to_have_count(0)
    await player.resign()
    await player.click("Rematch")
    await player.expect_phase("playing")
    await expect(player.page).to_have_title(re.compile("Misère"))
    assert player.page.url == room
    answer = await player.page.request.get(room.replace("/r/", "/api/rooms/"))
    view = await answer.json()
    view = view.get("room", view)
    assert [entry["wins"] for entry in view["score"] if entry["player"].startswith("engine:")] == [1, 1]


async def test_pass_and_play(pass_and_play: OpenWindow) -> None:
    """Play on one screen: take a move back, reload, win, and play again with the marks swapped."""
    player = await pass_and_play()
    await player.expect_status("Player 1 to move.")
    await player.play("a1", "b1", "a2", "b2")
    await player.click("Take back")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(3)
    await player.page.reload()
    await player.expect_phase("playing")
    await player.play("b2", "a3")
    await player.expect_status("Player 1 wins")
    await player.expect_announcement("X played row 3, column 1. Player 1 wins.")
    await expect(player.cell("a2")).to_have_accessible_name("row 2, column 1, X, in the completed line")
    await expect(player.page.locator(".highlighter")).to_have_count(1)
    await player.click("Rematch")
    await player.expect_status("Player 2 to move.")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(0)


async def test_chat_and_mute(friends: Friends) -> None:
    """Chat without HTML. Mute an author for everyone and undo it, then mute them in one browser only."""
    owner, friend = await friends()
    await friend.click("Chat")
    await friend.page.get_by_label("Write a message").fill("Good <b>luck</b>!")
    await friend.click("Send")
    await owner.click("Chat")
    line = owner.page.locator(".chat-lines li")
    await expect(line.locator(".line-text")).to_have_text("Good <b>luck</b>!")
    await expect(friend.page.locator(".chat-lines li b")).to_be_visible()
    await expect(friend.page.locator(".chat-lines li button")).to_have_count(0)
    for label in ("Mute for everyone", "Unmute for everyone"):
        await line.locator(".author").click()
        await expect(owner.page.get_by_role("button", name="for everyone")).to_have_text([label])
        await owner.click(label)
        answer = "can chat in this room" if label.startswith("Un") else "is muted in this room"
        await expect(owner.page.locator(".toast", has_text=answer)).to_be_visible()
        await expect(friend.button("Send")).to_be_visible(visible=label.startswith("Un"))
    await line.locator(".author").click()
    await owner.click("Mute for me")
    await expect(line).to_have_count(0)
    await expect(friend.page.locator(".chat-lines li")).to_have_count(1)


async def test_owner_changes_the_variant_and_closes_the_room(open_window: OpenWindow) -> None:
    """Show changed settings and the end of the room to everyone in it."""
    owner = await open_window()
    await owner.start("friend")
    friend = await (await open_window()).open(owner.page.url)
    await owner.click("More")
    await owner.click("Change game")
    await owner.page.locator(".change input[value=gomoku]").check(force=True)
    await owner.page.locator(".change").get_by_role("button", name="Play").click()
    await expect(friend.page.locator("[role=gridcell]")).to_have_count(225)
    await expect(friend.toasts).to_contain_text("The game or the settings have changed.")
    await owner.click("More")
    await owner.click("Room settings")
    await owner.click("Close the room")
    await owner.click("Yes, close it")
    await friend.expect_status("This room was closed.")
    await expect(friend.page.get_by_role("link", name="Create a new room")).to_be_visible()


async def test_start_page_links_to_your_last_room(open_window: OpenWindow) -> None:
    """Link to the room of your seat until the room is closed, which the page says once, below the header."""
    player = await open_window(390, 844)
    await player.start("friend")
    await player.page.get_by_role("link", name="Noughts: go to the start page").click()
    await player.page.get_by_role("link", name="No opponent yet").click()
    await player.expect_phase("waiting")
    await player.click("More")
    await player.click("Room settings")
    await player.click("Close the room")
    await player.click("Yes, close it")
    await expect(player.page.get_by_role("link", name="Create a new room")).to_be_visible()
    # One is for screen readers.
    await expect(player.page.get_by_text("This room was closed.").locator("visible=true")).to_have_count(2)
    await expect(player.page.locator(".toast")).to_have_count(0)
    await player.page.get_by_role("link", name="Noughts").first.click(trial=True)
    await player.open()
    await expect(player.page.locator(".start .cell.legal").first).to_be_visible()
    await expect(player.page.locator(".my-games")).to_be_hidden()
    await expect(player.page.locator(".game, .last-room a")).to_have_count(0)


async def test_unknown_room_offers_a_new_one(open_window: OpenWindow) -> None:
    """Answer 404 with a page that leads back to the start page."""
    player = await open_window()
    answer = await player.page.goto(player.origin + "/r/nothing-here")
    assert answer is not None
    assert answer.status == 404
    await expect(player.page.get_by_role("heading", name="This room does not exist")).to_be_visible()
    await player.page.get_by_role("link", name="Create a new room").click()
    await expect(player.page.locator(".start .cell.legal").first).to_be_visible()
