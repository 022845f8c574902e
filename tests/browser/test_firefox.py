"""The page in Firefox: two people meet through a link, play, review the game, and use finger and keyboard."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.firefox import Firefox, Tab, button, firefox
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Firefox]:
    profile: Path = tmp_path_factory.mktemp("firefox")
    async with firefox(profile) as running:
        yield running
    assert running.faults == []


async def start(tab: Tab, server: RunningServer, variant: str, label: str) -> None:
    """Open the start page with a variant, as X, and press one of its buttons."""
    choice = {"variant": variant, "mark": "X", "levelX": "novice", "levelO": "novice"}
    await tab.open(f"{server.url}/no-such-page")
    await tab.value(f"localStorage.setItem('noughts.choice', JSON.stringify({json.dumps(choice)}))")
    await tab.open(server.url)
    await tab.click(button(label))


def cell(name: str) -> str:
    """Return the expression for a cell of the board."""
    return f"document.querySelector(\".room [role=gridcell][data-cell='{name}']\")"


async def play(tab: Tab, name: str, mark: str, pointer: str = "mouse") -> None:
    """Fill a cell, and wait until the server has stored the move."""
    await tab.click(cell(name), pointer)
    await tab.expect(f"{cell(name)}.dataset.mark", mark)
    await tab.expect(f"{cell(name)}.classList.contains('pending')", False)


async def test_two_people_play_through_a_link(browser: Firefox, server: RunningServer) -> None:
    """Invite, sit down, play to the end, see the outcome and the move that lost, review it, and want a rematch by key."""
    ann, ben = await browser.new_person(), await browser.new_person()
    await start(ann, server, "classic", "Invite a friend")
    await ann.expect("!!document.querySelector('.share input.link')?.value")
    await ben.open(await ann.value("document.querySelector('.share input.link').value"))
    await ben.click(button("Play as O"))
    for turn, name in enumerate(("b2", "a1", "c1", "a2", "a3")):
        tab, mark = ((ann, "X"), (ben, "O"))[turn % 2]
        await play(tab, name, mark)
    await ben.expect_text(".room", "Your a2 on move 4 let it slip: only a3 holds.")
    await ann.click(button("Review"))
    await ann.expect("document.querySelectorAll('.review .segment').length > 4")
    await ann.press("\ue011")  # Home
    await ann.expect("document.querySelectorAll('.cell[data-mark]').length", 0)
    await ann.press("\ue010")  # End
    await ann.expect("document.querySelectorAll('.cell[data-mark]').length", 5)
    await ann.click(button("Close review"))
    await ann.press("r")
    await ben.press("r")
    await ben.expect("document.querySelectorAll('.cell[data-mark]').length", 0)


async def test_a_finger_plays(browser: Firefox, server: RunningServer) -> None:
    """One touch plays, and the click that Firefox sends after it does not play again."""
    tab = await browser.new_person()
    await start(tab, server, "gomoku", "Two on this screen")
    await tab.expect("!!document.querySelector('.room[data-phase=playing]')")
    await play(tab, "h8", "X", "touch")
    await play(tab, "h9", "O", "touch")


@pytest.mark.parametrize("variant", ["vanishing", "four-in-a-row", "qubic", "ultimate"])
async def test_boards_are_drawn(browser: Firefox, server: RunningServer, variant: str) -> None:
    """Draw a mark of each kind of board with a size."""
    tab = await browser.new_person()
    await start(tab, server, variant, "Two on this screen")
    await tab.expect("document.querySelectorAll('.room[data-phase=playing] [role=gridcell]').length > 8")
    name = await tab.value("document.querySelector('.room [role=gridcell]:not([aria-disabled=true])').dataset.cell")
    await tab.click(cell(name))
    await tab.expect("document.querySelectorAll('[role=gridcell][data-mark=X]').length", 1)
    await tab.expect("document.querySelector('.board-mark')?.getBoundingClientRect().width > 4")
