"""One person with several tabs hears one sound, and sees in the tab in front what waits in another.

Seen in chess servers: a game was lost in a tab behind, and each of three tabs sounded for one move.
"""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.test_sounds import KEEP
from tests.support.browser import OpenWindow, Rival, Window
from tests.support.player import Socket
from tests.support.server import RunningServer
from tests.support.tournament_client import new_cup

pytestmark = pytest.mark.asyncio(loop_scope="session")

TURN_HZ, CHIME_HZ = 659, 523
ABSENT = """for (const [owner, name] of [[window, "BroadcastChannel"], [Navigator.prototype, "locks"]])
  Object.defineProperty(owner, name, { configurable: true, get: () => undefined });"""
THROWING = """window.BroadcastChannel = class { constructor() { throw new DOMException("no", "SecurityError"); } };
Object.defineProperty(Navigator.prototype, "locks", { get: () => ({
  request() { throw new DOMException("no", "SecurityError"); } }) });"""
HIDE = """() => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
IS_WATCHED = "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('tabs.js'))"


async def opened(tab: Window, path: str) -> Window:
    """Load a page that keeps its sounds, and touch it: before that no page sounds. It is the tab in front now."""
    await tab.page.add_init_script(KEEP)
    await tab.open(path)
    await tab.page.wait_for_function(IS_WATCHED)
    await tab.page.evaluate("async () => void await navigator.locks?.query?.()")  # the tab has its answer by now
    await tab.page.mouse.click(2, 2)
    return tab


async def another_tab(window: Window, path: str = "/", script: str = "") -> Window:
    """Open a page in another tab of the same person."""
    tab = Window(window.context, await window.context.new_page(), window.origin)
    await tab.page.add_init_script(script)
    return await opened(tab, path)


async def answered(friend: Socket) -> None:
    """Play a1 after the first move."""
    await friend.until_room(lambda view: view["game"]["turn"] == "O")
    await friend.move("a1")


async def test_a_turn_in_a_tab_behind_is_told_in_the_tab_in_front(rival: Rival) -> None:
    """With a sound, in the title, and as a line with a button that leads there."""
    owner, friend = await rival()
    await owner.play("b2")
    room = owner.page.url
    tab = await another_tab(owner)
    await owner.page.evaluate(HIDE)
    await answered(friend)
    line = tab.page.locator(".call")
    await expect(line).to_contain_text("Your turn against")
    await expect(tab.page).to_have_title("● Noughts")
    assert await tab.page.evaluate("given.tones") == [TURN_HZ]
    await tab.click("Go there")
    await tab.expect_phase("playing")
    assert tab.page.url == room
    await expect(line).to_have_count(0)
    await expect(tab.page).to_have_title("Your turn · Tic-tac-toe")
    assert tab.faults == []


async def test_one_move_sounds_in_one_of_three_tabs(rival: Rival) -> None:
    owner, friend = await rival()
    await owner.play("b2")
    tabs = [await opened(owner, owner.page.url), *[await another_tab(owner, owner.page.url) for _ in range(2)]]
    for tab in tabs:
        await expect(tab.page.locator(".cell[data-mark]")).to_have_count(1)
    await answered(friend)
    tones = []
    for tab in tabs:
        await expect(tab.page.locator(".cell[data-mark]")).to_have_count(2)
        tones.append(await tab.page.evaluate("given.tones.length"))
    assert tones == [0, 0, 2]


async def test_without_locks_and_channels_each_tab_speaks(rival: Rival) -> None:
    owner, friend = await rival()
    await owner.play("b2")
    tabs = [await another_tab(owner, owner.page.url, script) for script in (ABSENT, THROWING)]
    for tab in tabs:
        await expect(tab.page.locator(".cell[data-mark]")).to_have_count(1)
    await answered(friend)
    for tab in tabs:
        await expect(tab.page.locator(".cell[data-mark]")).to_have_count(2)
        assert await tab.page.evaluate("given.tones.length") == 2
        assert tab.faults == []


async def test_a_match_in_a_tab_behind_is_told_in_the_tab_in_front(
    open_window: OpenWindow, server: RunningServer
) -> None:
    """Being paired has a sound. The second *Join* says that its matches may begin at the same time as the first one's."""
    cup, other = await new_cup(server), await new_cup(server, name="The other cup")
    ann, ben = await open_window(), await open_window()
    for window, name in ((ann, "Ann"), (ben, "Ben")):
        await join(window, cup.pin, name)
    tab = await another_tab(ann, "/join")
    await tab.page.fill(".pin-input", other.pin)
    await expect(tab.page.get_by_text("You also play in Cup.")).to_be_visible()
    await ann.page.evaluate(HIDE)
    await cup.ok("start")
    await expect(tab.page.locator(".call")).to_contain_text("You play Ben.")
    assert CHIME_HZ in await tab.page.evaluate("given.tones")
    await tab.click("Go there")
    await expect(tab.page.locator(".tournament-match [data-cell]").first).to_be_visible()


async def join(window: Window, pin: str, name: str) -> None:
    """Enter a tournament under a name."""
    await window.open("/join")
    await window.page.fill(".pin-input", pin)
    await window.page.fill("input[autocomplete=nickname]:visible", name)
    await window.click("Join")
    await window.page.wait_for_selector(".tournament-status:has-text('You are in')")
