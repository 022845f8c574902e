"""After the game: the outcome, the sentence of the review, the review, the link of a game, and no verdict before the end."""

from __future__ import annotations

import re
import struct

import pytest
from playwright.async_api import expect

from tests.support.browser import Friends, OpenWindow, Rival, Window, box
from tests.support.player import enter, guest
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOST = ("b2", "a1", "c1", "a2", "a3")
CLIPBOARD = "(await navigator.clipboard.readText())"
NATIVE_SHARING = """() => {
  navigator.canShare = ({ files }) => files.length === 1;
  navigator.share = async ({ files, text, url }) => { window.shared = [files[0].type, text, url]; };
}"""
DECODED = """async (bytes) => {
  const decoder = new ImageDecoder({ type: "image/gif", data: new Uint8Array(bytes).buffer });
  await Promise.all([decoder.completed, decoder.tracks.ready]);
  const frames = [];
  for (let frameIndex = 0; frameIndex < decoder.tracks.selectedTrack.frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    frames.push({ ms: image.duration / 1000, width: image.codedWidth, height: image.codedHeight });
  }
  return frames;
}"""
IS_LOADED = "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('share.css'))"


async def finished_game(pass_and_play: OpenWindow) -> Window:
    """Return a window with a finished game of pass and play."""
    player = await pass_and_play("classic", 390, 844, permissions=["clipboard-read", "clipboard-write"])
    await player.play(*LOST)
    await player.expect_status("Player 1 wins")
    return player


async def test_the_sentence_of_the_end_points_at_the_move(pass_and_play: OpenWindow) -> None:
    """Draw the cell as a tiny board that names its row and column. A tap shows the move with a ring for two seconds."""
    player = await finished_game(pass_and_play)
    sentence = player.page.locator(".review-sentence")
    await expect(sentence).to_have_text("With , Player 2 left a line open.")
    await expect(sentence.get_by_role("img", name="row 2, column 1")).to_be_visible()
    await player.page.clock.install()
    await sentence.get_by_role("button").click()
    await expect(player.page.locator(".rings circle")).to_have_count(1)
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(4)
    await player.page.clock.run_for(2_100)
    await expect(player.page.locator(".rings circle")).to_have_count(0)
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(5)


async def test_a_loss_goes_back_to_the_move_that_could_be_saved(friends: Friends) -> None:
    """After 1.2 s the loser's board has that mark lifted, no cell is named, and From here plays on. The winner's stays."""
    winner, loser = await friends(390, 844)
    await loser.page.clock.install()
    for number, cell in enumerate(LOST):
        await (winner, loser)[number % 2].play(cell)
    await expect(loser.button("From here")).to_be_enabled()
    await expect(loser.page.locator(".cell[data-mark]")).to_have_count(5)
    await loser.page.clock.run_for(1_300)
    await expect(loser.page.locator(".cell[data-mark]")).to_have_count(4)
    await expect(loser.page.locator(".board-mark.lifted")).to_have_attribute("data-of", "a2")
    await expect(loser.page.locator(".rings circle")).to_have_count(0)
    await expect(loser.cell("a2")).to_have_accessible_name("row 2, column 1, O, disappears with the next move")
    await expect(winner.page.locator(".cell[data-mark]")).to_have_count(5)
    await expect(winner.button("From here")).to_be_hidden()
    await loser.click("From here")
    await expect(loser.page.locator(".room[data-branch] .branch-line")).to_be_visible()
    assert await loser.marks() == {"b2": "X", "a1": "O", "c1": "X"}


async def test_review_steps_with_slider_keys_and_moves(pass_and_play: OpenWindow) -> None:
    """Step to any ply: its board, its value, the ribbon and the ring around the moves that held."""
    player = await finished_game(pass_and_play)
    await player.click("Review")
    page = player.page
    await expect(page.locator(".review .segment[data-value=X]")).to_have_count(2)
    await expect(page.locator(".review .segment[data-changed]")).to_have_count(1)
    await page.keyboard.press("Home")
    await expect(page.locator(".cell[data-mark]")).to_have_count(0)
    for _ in range(3):
        await page.keyboard.press("ArrowRight")
    await expect(page.locator(".cell[data-mark]")).to_have_count(3)
    await expect(page.locator(".rings[data-pulses] circle")).to_have_count(1)
    await expect(player.cell("a3")).to_have_accessible_name("row 3, column 1, empty, a good move")
    await expect(page.get_by_role("button", name="4 O row 2, column 1", exact=True)).to_have_accessible_description(
        "a mistake"
    )
    await page.get_by_role("button", name="4 O row 2, column 1", exact=True).click()
    await expect(page.locator(".ply-text")).to_contain_text("X wins in 1")
    await page.keyboard.press("End")
    await expect(page.locator(".cell[data-mark]")).to_have_count(5)
    await player.click("Review")
    await expect(page.locator(".outcome")).to_be_visible()


async def test_no_verdict_is_fetched_before_the_end(open_window: OpenWindow) -> None:
    """Fetch no analysis while a game is on, nor for a step back in it."""
    player = await open_window()
    urls: list[str] = []
    player.page.on("request", lambda request: urls.append(request.url))
    await player.start("pass_and_play")
    await player.expect_phase("playing")
    await player.play("b2", "a1")
    await player.click("More")
    await player.click("Step back through this game")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(1)
    await player.page.goto(player.origin + "/replay#classic=b2,a1,c1")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(3)
    await player.page.goto(player.origin + "/replay?x#classic=b2,a1,c1&over=resignation,O")
    await expect(player.page.locator(".outcome")).to_be_visible()
    assert [url for url in urls if "/api/analysis" in url] == []


async def test_link_of_a_game_needs_no_room(open_window: OpenWindow, pass_and_play: OpenWindow) -> None:
    """Copy a game as text and as a link, and open the link in another browser, with the values and a way to do better."""
    player = await finished_game(pass_and_play)
    await player.click("Share")
    await expect(player.page.locator(".share-game .dialog-toasts")).to_contain_text("Copied.")
    await player.page.wait_for_function(f"async () => ({CLIPBOARD}).includes('🟧⬜🟦')")
    link: str = (await player.page.evaluate(f"async () => {CLIPBOARD}")).rpartition("\n")[2]
    assert link.endswith("/replay/classic/" + ",".join(LOST))
    other = await (await open_window()).open(link)
    await expect(other.page.locator(".outcome")).to_have_text("X wins")
    await expect(other.page.locator(".review-sentence")).to_have_text("With , O left a line open.")
    await expect(other.page.locator(".commands > :visible").first).to_have_text("Beat this")
    await other.page.locator(".ply-slider").focus()
    await other.page.keyboard.press("Home")
    await expect(other.page.locator(".cell[data-mark]")).to_have_count(0)


async def test_a_picture_of_a_game_needs_no_server(pass_and_play: OpenWindow) -> None:
    """Share 1080 by 1350 points with names, outcome and ribbon, and save them, after the connection is gone."""
    player = await finished_game(pass_and_play)
    await expect(player.page.locator(".review-sentence .chip")).to_be_visible()
    await player.page.evaluate(NATIVE_SHARING)
    await player.page.wait_for_function(IS_LOADED)
    await player.context.set_offline(True)
    await player.click("Share")
    await player.page.wait_for_function("() => window.shared")
    await expect(player.page.locator(".share-game")).to_have_count(0)
    kind, text, url = await player.page.evaluate("shared")
    assert (kind, url) == ("image/png", f"{player.origin}/replay/classic/{','.join(LOST)}")
    assert text.startswith("Tic-tac-toe · Player 1 wins\n")

    await player.page.evaluate("navigator.share = undefined")
    await player.page.keyboard.press("Shift")  # two presses at once would be one
    await player.click("Share")
    await player.click("Moving picture (GIF)")
    await expect(player.page.locator(".share-game .toast")).to_have_text(
        "The server cannot be reached. Check your connection."
    )
    async with player.page.expect_download() as download:
        await player.click("Save picture (PNG)")
    file = await download.value
    assert file.suggested_filename == "classic.png"
    png = (await file.path()).read_bytes()
    picture = await player.page.locator(".share-picture > .game-picture").evaluate("picture => picture.outerHTML")
    assert struct.unpack(">II", png[16:24]) == (1080, 1350)
    assert re.findall(r">([^<]+)</text>", picture) == [
        "Player 1",
        "Player 2",
        "Player 1 wins",
        "Noughts · Tic-tac-toe",
    ]
    assert picture.count("segment-") == len(LOST)  # the ribbon


async def test_review_opens_every_game_of_the_room(pass_and_play: OpenWindow) -> None:
    """Choose an earlier game, step through it, and return to the newest one."""
    player = await finished_game(pass_and_play)
    await player.click("Rematch")
    await player.expect_phase("playing")
    await player.play("c3")
    await player.resign()
    await player.click("Review")
    games = player.page.locator(".series-games button")
    await games.first.click()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(5)
    await expect(player.page.locator(".review .segment[data-changed]")).to_have_count(1)
    await player.page.locator(".ply-slider").press("ArrowLeft")
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(4)
    await games.last.click()
    await expect(player.page.locator(".cell[data-mark]")).to_have_count(1)


@pytest.mark.parametrize("fragment", ["classic=b2,b2", "classic=<img src=x onerror=alert(1)>"])
async def test_wrong_link_says_so(open_window: OpenWindow, fragment: str) -> None:
    """Say in a sentence that a link holds no game."""
    window = await (await open_window()).open("/replay#" + fragment)
    await expect(window.page.get_by_role("heading", level=1)).to_have_text("This link does not hold a game")
    await expect(window.page.locator("img")).to_have_count(0)


async def test_change_of_level_starts_the_next_game(open_window: OpenWindow) -> None:
    """Change the level of the engine beside Rematch."""
    player = await open_window(390, 844)
    await player.start("engine", level="novice")
    await player.resign()
    await player.click("Change game")
    await player.page.locator(".change").get_by_role("combobox", name="Level").select_option("expert")
    await player.page.locator(".change").get_by_role("button", name="Play").click()
    await player.expect_phase("playing")
    await expect(player.page.locator(".seat-note", has_text="expert")).to_be_visible()


async def test_title_says_that_it_is_your_turn(rival: Rival, server: RunningServer) -> None:
    """Say in the title whose turn it is, and count chat lines that are out of sight."""
    owner, _ = await rival(390, 844)
    await expect(owner.page).to_have_title(re.compile("^Your turn"))
    await owner.play("b2")
    await expect(owner.page).to_have_title(re.compile(r"to move"))
    async with enter(server, owner.page.url.rpartition("/")[2], await guest(server.url)) as spectator:
        await spectator.ok("chat", text="hello")
    await expect(owner.page.get_by_role("button", name="Chat, 1 new")).to_be_visible()
    await expect(owner.page).to_have_title(re.compile(r"^\(1\)"))


async def test_a_replay_by_its_path(open_window: OpenWindow) -> None:
    """Show the game of a path, with the end that the path names. On a wide window, the card is beside the board."""
    player = await (await open_window(1440, 900)).open("/replay/classic/b2,a1?over=resignation,O")
    await expect(player.page.locator(".outcome")).to_have_text("O wins")
    assert await player.marks() == {"b2": "X", "a1": "O"}
    await expect(player.page.get_by_text("resigned")).to_have_text(["Tic-tac-toe · X resigned"])
    board, card = await box(player.board), await box(player.page.locator(".zone"))
    assert card["x"] == pytest.approx(board["x"] + board["width"] + 24, abs=2)


async def test_a_replay_leads_to_its_game(open_window: OpenWindow) -> None:
    """Open the start page with the game of a replay without a mistake to beat, and return to the replay with Back."""
    player = await (await open_window()).open("/replay#misere=a1,b1,a2")
    await expect(player.page.locator(".outcome")).to_have_text("The game was not over.")
    await player.page.get_by_role("link", name="Play Misère").click()
    await expect(player.page.locator(".start input[value=misere]")).to_be_checked()
    await player.page.go_back()
    await expect(player.page.locator(".outcome")).to_have_text("The game was not over.")


async def test_a_game_against_the_engine_leads_to_how_it_knew(open_window: OpenWindow) -> None:
    """The page about minimax opens with the position after the mistake, and with its tree."""
    window = await (await open_window(390, 844)).start("engine", level="perfect", mark="X")
    page = window.page
    over = page.locator(".room[data-phase=finished]")
    while not await over.count():
        marks = await page.locator(".room .cell[data-mark]").count()
        await page.locator(".room .cell.legal").first.click()
        answered = f"document.querySelectorAll('.room .cell[data-mark]:not(.pending)').length >= {marks + 2}"
        await page.wait_for_function(f"() => {answered} || document.querySelector('.room[data-phase=finished]')")
    await window.expect_phase("finished")
    await window.page.get_by_role("link", name="How did it know?").click()
    await expect(window.page.locator(".learn .stage .board")).to_be_visible()
    assert "/learn#" in window.page.url
    assert "=" in window.page.url


async def test_a_game_goes_on_from_before_its_mistake(open_window: OpenWindow) -> None:
    """Beat this makes a game against the engine that does not count, with a way back to the replay."""
    path = f"/replay/classic/{','.join(LOST)}"
    player = await (await open_window(390, 844)).open(path)
    await player.click("Beat this")
    await player.expect_phase("playing")
    await expect(player.page.locator(".branch-line")).to_contain_text("this game does not count")
    assert await player.marks() == {"b2": "X", "a1": "O", "c1": "X"}
    await player.page.get_by_role("button", name="Back to the game").click()
    await expect(player.page.locator(".outcome")).to_have_text("X wins")
    assert player.page.url.endswith(path)


async def test_a_tap_in_a_review_plays_on_in_a_branch(open_window: OpenWindow) -> None:
    """At a mistake a tap replaces it, elsewhere it plays the next move. The way back leads to the same move."""
    player = await open_window(390, 844, reduced_motion="reduce")
    await player.start("pass_and_play")
    await player.play(*LOST)
    await player.click("Review")
    page = player.page
    await page.get_by_role("button", name="4 O row 2, column 1", exact=True).click()
    ring = page.locator(".rings[data-pulses] circle")
    await expect(ring).to_have_css("animation-duration", "0s")
    await player.cell("a3").click()
    await expect(page.locator(".branch-line")).to_contain_text("this game does not count")
    await expect(page.locator(".cell[data-mark]")).to_have_count(5)
    assert (await player.marks()).items() >= {"b2": "X", "a1": "O", "c1": "X", "a3": "O"}.items()
    await page.get_by_role("button", name="Back to the game").click()
    await expect(page.locator(".ply-text")).to_contain_text("4. O")
    await page.get_by_role("button", name="First move").click()
    await player.cell("c3").click()
    await expect(page.locator(".room[data-branch]")).to_be_visible()
    await expect(page.locator(".cell[data-mark]")).to_have_count(2)
    assert (await player.marks())["c3"] == "X"
    await player.open()
    await expect(page.locator(".played-game")).to_have_count(0)


async def test_a_game_as_a_moving_picture(pass_and_play: OpenWindow) -> None:
    """The file has a frame for each position, one with the losing move ringed, and those in which the winning line grows."""
    player = await finished_game(pass_and_play)
    await expect(player.page.locator(".review-sentence .chip")).to_be_visible()
    await player.click("Share")
    async with player.page.expect_download() as download:
        await player.click("Moving picture (GIF)")
    file = await download.value
    gif = (await file.path()).read_bytes()
    assert (file.suggested_filename, gif[:6]) == ("classic.gif", b"GIF89a")
    assert len(gif) <= 500_000
    frames: list[dict[str, int]] = await player.page.evaluate(DECODED, list(gif))
    assert len(frames) == len(LOST) + 4 + 1
    assert 4_000 <= sum(frame["ms"] for frame in frames) <= 12_000
    assert max(range(len(LOST)), key=lambda ply: frames[ply]["ms"]) == 4  # after a2, which is ringed
    assert [(frame["width"], frame["height"]) for frame in frames] == [(432, 540)] * len(frames)
