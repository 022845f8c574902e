"""The page of puzzles: a try, its punishment, the solution, and the puzzle of the day on the start page."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from noughts.puzzles.collection import puzzle_of, records
from noughts.rules.variant import variant_named
from tests.support.axe import violations
from tests.support.browser import OpenWindow

pytestmark = pytest.mark.asyncio(loop_scope="session")

RECORD = next(record for record in records("classic").values() if record.kind == "win" and record.line.count(" ") == 2)


async def _opened(open_window: OpenWindow) -> Page:
    """Return a page with the puzzle, before the first try."""
    window = await open_window(390, 844)
    await window.page.goto(f"{window.origin}/puzzle/{RECORD.id}")
    await window.page.wait_for_selector(".puzzle [data-cell].legal")
    return window.page


async def test_a_puzzle_is_solved_step_by_step(open_window: OpenWindow) -> None:
    page = await _opened(open_window)
    assert "Only one move wins." in await page.inner_text(".outcome")
    first, reply, second = RECORD.line.split()
    await page.click(f'[data-cell="{first}"]')
    await page.wait_for_selector(f"text=The reply is {reply}")
    await page.click(f'[data-cell="{second}"]')
    await page.wait_for_selector(".outcome:has-text('Solved')")
    assert RECORD.line in await page.inner_text(".review-sentence")
    await page.reload()
    await page.wait_for_selector("text=You have solved this puzzle before.")


async def test_a_wrong_move_shows_its_punishment_and_can_be_tried_again(open_window: OpenWindow) -> None:
    puzzle = puzzle_of(variant_named("classic"), RECORD)
    names = puzzle.variant.names
    other = next(names[cell] for cell in puzzle.game.legal() if cell != puzzle.steps[0].answer)
    page = await _opened(open_window)
    await page.click(f'[data-cell="{other}"]')
    await page.wait_for_selector(f"text={other} is not the move")
    await page.click("text=Try again")
    await page.wait_for_selector(f'[data-cell="{other}"].legal')
    await page.click("text=Show the line")
    await page.wait_for_selector(f"text=The line: {RECORD.line}")
    await page.click("text=Next puzzle")
    await page.wait_for_function("id => !location.pathname.endsWith(id)", arg=RECORD.id)


async def test_the_start_page_leads_to_the_puzzle_of_the_day(open_window: OpenWindow) -> None:
    window = await open_window(390, 844)
    page = window.page
    await page.goto(window.origin)
    await page.click(".daily-puzzle")
    await page.wait_for_selector(".puzzle [data-cell].legal")
    assert "/puzzle/" in page.url
    assert await violations(page, "puzzle") == []
