"""The page of puzzles: a try, its punishment, the solution, and the puzzle of the day on the start page."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

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
    await page.wait_for_selector(f'[data-cell="{reply}"][data-mark]')
    await page.click(f'[data-cell="{second}"]')
    await page.wait_for_selector(".puzzle[data-ending=won] .outcome:has-text('Solved')")
    await page.wait_for_selector(".flying", state="attached")  # the film of a win
    await page.click("text=Share")
    await page.wait_for_selector("text=Copied.")
    await page.reload()
    await page.wait_for_selector("text=You have solved this puzzle.")


async def test_a_wrong_move_is_punished_and_lifts_itself(open_window: OpenWindow) -> None:
    puzzle = puzzle_of(variant_named("classic"), RECORD)
    names = puzzle.variant.names
    other = next(names[cell] for cell in puzzle.game.legal() if cell != puzzle.steps[0].answer)
    page = await _opened(open_window)
    await page.clock.pause_at(await page.evaluate("Date.now()") + 60_000)
    await page.click(f'[data-cell="{other}"]')
    await page.wait_for_selector("text=Not that move")
    await page.clock.run_for(1_400)
    await expect(page.locator(f'[data-cell="{other}"][data-mark]')).to_be_attached()
    await page.clock.run_for(200)
    await expect(page.locator(f'[data-cell="{other}"].legal')).to_be_attached()
    await expect(page.locator(".review-sentence")).to_contain_text("Not that move")  # to read it after
    await page.clock.resume()
    await page.click("text=Show the line")
    await expect(page.locator(".review-sentence .chip")).to_have_count(len(RECORD.line.split()))
    await page.get_by_role("button", name="Next puzzle").press(
        "Enter"
    )  # a click at the same place would be the same press
    await page.wait_for_function("id => !location.pathname.endsWith(id)", arg=RECORD.id)


async def test_the_start_page_leads_to_the_puzzle_of_the_day(open_window: OpenWindow) -> None:
    """It says the day and the rule in one line. The start page knows that it was solved."""
    window = await open_window(390, 844)
    page = window.page
    await page.goto(window.origin)
    await page.click(".daily-puzzle")
    await page.wait_for_selector(".puzzle [data-cell].legal")
    assert "/puzzle/" in page.url
    await expect(page.locator(".puzzle")).to_contain_text(re.compile(r"Puzzle of \w+day, \w+ \d+"))
    await expect(page.locator(".puzzle")).to_contain_text(re.compile(r"in a line (wins|loses|win)"))
    assert await violations(page, "puzzle") == []
    solved = page.url.rpartition("/")[2]
    await page.evaluate("id => localStorage.setItem('noughts.puzzles', JSON.stringify([id]))", solved)
    await page.goto(window.origin)
    await expect(page.locator(".daily-puzzle")).to_contain_text("Solved")
