"""A room: invited, watched, played against the engine, shared on one screen, and gone."""

from __future__ import annotations

import pytest

from tests.browser.driver import NewWindow, Window, expect

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def friends(window: NewWindow) -> tuple[Window, Window]:
    """X and O in one room."""
    host, guest = await window(), await window()
    await host.start("friend", Your_mark="X")
    await guest.open(await host.invite_link())
    await guest.press("Sit down as O")
    await host.in_phase("playing")
    await guest.in_phase("playing")
    return host, guest


async def test_the_invite_leaves_the_address_bar_and_takes_no_seat_by_itself(window: NewWindow) -> None:
    host, guest = await window(), await window()
    await host.start("friend", Your_mark="X")
    link = await host.invite_link()
    secret = link.partition("#i=")[2]
    assert len(secret) >= 16
    assert secret not in host.page.url
    await guest.open(link)
    await expect(guest.page.get_by_role("button", name="Sit down as O")).to_be_visible()
    assert guest.page.url == link.partition("#")[0]
    await guest.page.reload()
    await expect(guest.page.get_by_role("button", name="Sit down as O")).to_be_visible()
    await host.in_phase("waiting")
    await guest.page.get_by_label("Your name, if you like").fill("Béatrice")
    await guest.press("Sit down as O")
    await host.in_phase("playing")
    await expect(host.page.locator(".seat[data-mark=O] .seat-name")).to_have_text("Béatrice")


async def test_the_qr_code_and_the_links(window: NewWindow) -> None:
    host = await window(permissions=["clipboard-read", "clipboard-write"])
    await host.start("friend")
    await host.press("Show QR code")
    await expect(host.page.get_by_role("img", name="QR code of the invite link")).to_be_visible()
    await host.press("Copy invite link")
    await expect(host.page.locator("#toasts")).to_contain_text("Copied")
    assert await host.page.evaluate("() => navigator.clipboard.readText()") == await host.invite_link()
    await host.press("Copy watch link")
    await expect(host.page.locator("#toasts")).to_contain_text("Copied")


async def test_two_play_and_a_third_watches(window: NewWindow) -> None:
    host, guest = await friends(window)
    spectator = await (await window()).open(await host.invite_link())
    await spectator.in_phase("playing")
    await expect(spectator.page.get_by_text("Both seats are taken: you are watching.")).to_be_visible()
    await expect(host.page.locator(".watchers")).to_contain_text("1 watching")
    for cell, mover in zip(("b2", "a1", "c1", "a3", "a2", "b1", "c2"), [host, guest] * 4, strict=False):
        await mover.play(cell)
    for everybody in (host, guest, spectator):
        await everybody.in_phase("finished")
    await host.says("You win: X completed a line.")
    await guest.says("You lose: X completed a line.")
    await spectator.says("(X) wins: X completed a line.")
    assert await spectator.marks() == await host.marks() == await guest.marks()
    await expect(spectator.page.locator(".cell.line")).to_have_count(3)
    await expect(host.page.locator(".seat[data-mark=X] .seat-wins")).to_have_text("1")

    await guest.press("Play again")
    await host.page.locator(".offers").get_by_role("button", name="Play again").click()
    for everybody in (host, guest, spectator):
        await everybody.in_phase("playing")
    await guest.says("Your turn, X.")
    assert await spectator.marks() == {}


async def test_offers_are_declined_accepted_and_withdrawn(window: NewWindow) -> None:
    host, guest = await friends(window)
    await host.play("b2")
    await host.press("Ask to take back")
    await guest.press("Accept")
    await expect(host.page.locator(".cell[data-mark]")).to_have_count(0)
    await host.press("Offer a draw")
    await host.press("Withdraw")
    await expect(guest.page.locator(".offers .notice")).to_have_count(0)
    await host.press("Offer a draw")
    await guest.press("Decline")
    await expect(host.page.locator("#toasts")).to_contain_text("Your offer was declined.")
    await guest.press("Offer a draw")
    await host.press("Accept")
    await guest.says("A draw: agreed.")


async def test_resigning_asks_once_more_and_keeps_the_focus(window: NewWindow) -> None:
    someone = await window()
    await someone.start("engine", Your_mark="X")
    await someone.press("Resign")
    await someone.press("Cancel")
    await expect(someone.page.get_by_role("button", name="Resign", exact=True)).to_be_focused()
    await someone.press("Resign")
    await someone.page.keyboard.press("Enter")
    await someone.says("You lose: X resigned.")
    await expect(someone.page.locator("[role=gridcell]:focus")).to_have_count(1)


async def test_a_game_against_the_engine_and_another(window: NewWindow) -> None:
    someone = await window()
    await someone.start("engine", Your_mark="X", Level="novice")
    while True:
        await expect(someone.page.locator(".cell.legal, [data-phase=finished] .board").first).to_be_visible()
        if await someone.page.locator(".room[data-phase=finished]").count():
            break
        before = len(await someone.marks())
        cell = await someone.page.locator(".cell.legal").first.get_attribute("data-cell")
        assert cell is not None
        await someone.play(cell)
        after = someone.page.locator(f".cell[data-mark] >> nth={before + 1}")
        await expect(after.or_(someone.page.locator("[data-phase=finished] .board")).first).to_be_visible()
    await someone.press("Play again")
    await someone.in_phase("playing")


async def test_two_on_one_screen(window: NewWindow) -> None:
    someone = await window()
    await someone.start("here")
    await someone.in_phase("playing")
    await someone.says("Player 1 to move: X.")
    await someone.play("a1", "b1", "a2", "b2")
    await someone.press("Take back")
    await expect(someone.page.locator(".cell[data-mark]")).to_have_count(3)
    await someone.page.reload()
    await someone.in_phase("playing")
    await someone.play("b2", "a3")
    await someone.says("Player 1 (X) wins")
    await someone.press("Play again")
    await someone.says("Player 2 to move: X.")
    await expect(someone.page.locator(".cell[data-mark]")).to_have_count(0)


async def test_two_engines_are_watched(window: NewWindow) -> None:
    someone = await window()
    await someone.start("engines")
    await expect(someone.page.locator(".cell[data-mark]").first).to_be_visible()
    await expect(someone.page.locator(".cell.legal")).to_have_count(0)


async def test_chat_reactions_and_muting_for_oneself(window: NewWindow) -> None:
    host, guest = await friends(window)
    await guest.page.get_by_label("Say something").fill("Good <b>luck</b>!")
    await guest.press("Send")
    line = host.page.locator(".lines li")
    await expect(line.locator(".said")).to_have_text("Good <b>luck</b>!")
    await expect(guest.page.locator(".lines li b")).to_be_visible()
    await expect(guest.page.locator(".lines li button")).to_have_count(0)
    await guest.page.locator(".reaction").first.click()
    await expect(host.page.locator(".chip")).to_be_visible()
    await line.locator(".author").click()
    await host.press("Mute for me")
    await expect(line).to_have_count(0)
    await expect(guest.page.locator(".lines li")).to_have_count(1)


async def test_who_is_away_is_shown_at_once(window: NewWindow) -> None:
    host, guest = await friends(window)
    await guest.context.close()
    await expect(host.page.locator(".absence")).to_contain_text("is away")
    await expect(host.page.locator(".seat[data-mark=O]")).to_have_attribute("data-presence", "away")


async def test_the_owner_changes_the_game_and_closes_the_room(window: NewWindow) -> None:
    host = await window()
    await host.start("friend")
    guest = await (await window()).open(host.page.url)
    await host.page.get_by_text("Room settings").click()
    await host.page.get_by_role("combobox", name="Game", exact=True).select_option("gomoku")
    await host.press("Apply")
    await expect(guest.page.locator("[role=gridcell]")).to_have_count(225)
    await expect(guest.page.locator("#toasts")).to_contain_text("The settings of the room have changed.")
    await host.press("Close the room")
    await host.press("Yes, close it")
    await guest.says("This room was closed.")
    await expect(guest.page.get_by_role("link", name="Make a new room")).to_be_visible()


async def test_the_way_back_to_a_seat_while_the_room_is_there(window: NewWindow) -> None:
    someone = await window()
    await someone.start("friend")
    await someone.page.get_by_role("link", name="Noughts, to the start page").click()
    await someone.page.get_by_role("link", name="Back to your room: Tic-tac-toe").click()
    await someone.in_phase("waiting")
    await someone.page.get_by_text("Room settings").click()
    await someone.press("Close the room")
    await someone.press("Yes, close it")
    await someone.says("This room was closed.")
    await someone.open()
    await expect(someone.page.locator(".choose")).to_be_visible()
    await expect(someone.page.locator(".back")).to_have_count(0)


async def test_an_unknown_room_has_a_friendly_page(window: NewWindow) -> None:
    someone = await window()
    answer = await someone.page.goto(someone.origin + "/r/nothing-here")
    assert answer is not None
    assert answer.status == 404
    await expect(someone.page.get_by_role("heading", name="This room is gone")).to_be_visible()
    await someone.page.get_by_role("link", name="Make a new room").click()
    await expect(someone.page.locator(".choose")).to_be_visible()
