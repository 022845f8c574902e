"""The page about minimax: its chapters, its tree by keyboard and on a phone, and how it steps without motion."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.support.axe import violations
from tests.support.browser import OpenWindow, Window, box

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHAPTERS = ("values", "minimax", "sooner", "alpha-beta", "memory", "beyond", "free")
PRESS_WHILE_ENABLED = "step => { let n = 0; for (; !step.disabled && n < 1_000; n++) step.click(); return n; }"
FOUR_FREE = "c3,c2,b2,c1,a2"


async def _opened(open_window: OpenWindow, chapter: str, *size: int, **options: object) -> Window:
    options = {"reduced_motion": "reduce", **options}  # so that the chapter does not play by itself
    window = await (await open_window(*(size or (390, 844)), **options)).open(f"/learn#{chapter}")
    await expect(window.page.locator(".stage .board")).to_be_visible()
    return window


async def _step_to_the_end(page: Page) -> int:
    """Press Step until nothing is left. Return how often."""
    step = page.get_by_role("button", name="Step", exact=True)
    return int(await step.evaluate(PRESS_WHILE_ENABLED))


async def test_axe_finds_nothing_in_any_chapter(open_window: OpenWindow) -> None:
    """At its end. It begins with fewer things of the same kinds."""
    window = await _opened(open_window, CHAPTERS[0])
    for chapter in CHAPTERS:
        await window.page.evaluate("chapter => { location.hash = chapter; }", chapter)
        await expect(window.page.locator(f"[aria-current=page][data-chapter='{chapter}']")).to_be_visible()
        await expect(window.page.locator(".stage .board")).to_be_visible()
        await _step_to_the_end(window.page)
        await expect(window.page.locator(".learn-sentence")).not_to_be_empty()
        assert await violations(window.page, f"learn-{chapter}") == []
        assert not await window.scrolls_sideways()


async def test_minimax_counts_the_tree_and_the_empty_board(open_window: OpenWindow) -> None:
    """With reduced motion, a step moves nothing."""
    page = (await _opened(open_window, "minimax")).page
    await expect(page.locator(".tree [role=listitem]")).to_have_count(14)
    await page.get_by_role("button", name="Step", exact=True).click()
    await expect(page.locator(".node[data-current]")).to_have_count(1)
    assert await page.evaluate("() => document.querySelector('.stage').getAnimations({subtree: true}).length") == 0
    await expect(page.locator(".climbing")).to_be_hidden()
    assert await _step_to_the_end(page) == 12
    await expect(page.locator(".learn-sentence")).to_have_text("Done: the best move of X is , worth 0.")
    await expect(page.locator(".learn-sentence .chip")).to_have_accessible_name("row 1, column 2")
    await page.get_by_role("button", name="Four free cells").click()
    await expect(page.locator(".tree [role=listitem]")).to_have_count(49)
    await page.get_by_role("button", name="Empty board").click()
    await expect(page.locator(".cost-list li")).to_have_count(9)
    await _step_to_the_end(page)
    await expect(page.locator(".learn-sentence")).to_contain_text("549,946")


async def test_a_mark_shows_the_tree_below_it(open_window: OpenWindow) -> None:
    """The address names the position, so a reload shows it again."""
    window = await _opened(open_window, f"minimax={FOUR_FREE}")
    await window.page.get_by_role("button", name="Step", exact=True).click()
    await window.cell("a1").click()
    await expect(window.page.locator(".tree [role=listitem]")).to_have_count(14)
    assert window.page.url.endswith(f"#minimax={FOUR_FREE},a1")
    await window.page.reload()
    await expect(window.page.locator(".tree [role=listitem]")).to_have_count(14)
    await window.click("Take back")
    await expect(window.page.locator(".tree [role=listitem]")).to_have_count(49)


async def test_the_tree_is_a_list_that_keys_walk(open_window: OpenWindow) -> None:
    """One tab stop, arrows up, down and along a level, and Enter puts the position on the board."""
    window = await _opened(open_window, "alpha-beta")
    page = window.page
    await expect(page.get_by_role("list", name="Tree of positions").get_by_role("listitem")).to_have_count(14)
    assert await page.locator(".tree [tabindex='0']").count() == 1
    await page.locator(".tree [tabindex='0']").focus()
    await page.keyboard.press("ArrowDown")
    await expect(page.locator(".node:focus")).to_have_accessible_name(
        "level 1, X row 1, column 2, O chooses the lowest, not looked at yet"
    )
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".node:focus")).to_have_accessible_name(
        "level 1, X row 3, column 1, O chooses the lowest, not looked at yet"
    )
    await page.keyboard.press("Enter")
    await expect(window.cell("a3")).to_have_attribute("data-mark", "X")


async def test_the_free_board_takes_window_and_beginning_along(open_window: OpenWindow) -> None:
    window = await _opened(open_window, "free", 1280, 800)
    page = window.page
    first = page.get_by_role(
        "button", name="row 1, column 1: value 0, minimax 59,705 boards, alpha-beta 2,788", exact=True
    )
    await expect(first).to_be_visible()
    await page.get_by_label("Show alpha and beta").check()
    first = page.get_by_role(
        "button", name="row 1, column 1: value 0, minimax 59,705 boards, alpha-beta 2,788, window −∞ … ∞"
    )
    await expect(first).to_be_visible()
    async with page.expect_request(lambda request: "/api/minimax?" in request.url) as question:
        await page.get_by_role("button", name="row 1, column 2: value 0").click()
    request = await question.value
    assert "moves=b1&alpha=0&beta=99&from=0&depth=1" in request.url
    await expect(page.locator(".cost-list li")).to_have_count(8)
    await expect(page.locator(".learn-figures")).to_contain_text("alpha-beta at 1,356")
    await window.click("Take back")
    await expect(first).to_be_visible()


async def test_six_boards_get_their_values(open_window: OpenWindow) -> None:
    """A wrong value is not taken. Marks can be put on the boards on which the game goes on."""
    window = await _opened(open_window, "values")
    page, sentence = window.page, window.page.locator(".learn-sentence")
    await page.get_by_role("button", name="+1 X").click()
    await expect(sentence).to_have_text("Not +1. Who has three in a line?")
    for name in ("−1 O", "+1 X", "0 draw"):
        await page.get_by_role("button", name=name).click()
        await expect(sentence).to_contain_text("Yes")
    await expect(page.locator(".stage .cell.legal")).to_have_count(1)
    await page.locator(".stage .cell.legal").click()
    await expect(page.locator(".stage .cell[data-mark]")).to_have_count(9)
    for name in ("0 draw", "−1 O", "+1 X"):
        await page.get_by_role("button", name=name).click()
        await expect(page.locator(f".sorted[aria-label*='value {name[0]}']").last).to_be_attached()
    await expect(sentence).to_contain_text("All six boards have values.")


async def test_the_tree_scrolls_in_its_frame_while_the_board_stays_in_sight(open_window: OpenWindow) -> None:
    """On a phone: the widest tree, stepped to its end."""
    window = await _opened(open_window, f"alpha-beta={FOUR_FREE}")
    page = window.page
    await expect(page.locator(".tree [role=listitem]")).to_have_count(49)
    step = page.get_by_role("button", name="Step", exact=True)
    await step.click()
    await page.wait_for_function(
        "() => document.querySelector('.tree-frame').getBoundingClientRect().bottom <= innerHeight + 1"
    )
    for _ in range(12):
        await step.click()
    frame = page.locator(".tree-frame")
    assert await frame.evaluate("frame => frame.scrollWidth > frame.clientWidth")
    assert not await window.scrolls_sideways()
    await expect(page.locator(".stage .board")).to_be_in_viewport(ratio=0.98)
    await expect(step).to_be_in_viewport(ratio=1)
    rectangle, node = await box(frame), await box(page.locator(".node[data-current]"))
    assert rectangle["x"] - 1 <= node["x"] <= rectangle["x"] + rectangle["width"]


async def test_a_chapter_plays_when_it_opens_and_pauses(open_window: OpenWindow) -> None:
    """The words stand below what moves. Alpha and beta are shown to a reader who asks for them."""
    window = await open_window(390, 844)
    page, sentence = window.page, window.page.locator(".learn-sentence")
    await page.clock.install()
    await window.open("/learn#alpha-beta")
    await expect(window.button("Pause")).to_be_visible()
    await page.clock.run_for(60_000)
    await expect(sentence).to_have_text("Done: the best move of X is , worth 0.")
    await expect(page.locator(".learn-sentence .chip")).to_have_accessible_name("row 1, column 2")
    assert (await box(sentence))["y"] < (await box(page.locator(".lesson")))["y"]
    await window.click("Play")
    await window.click("Pause")
    await expect(window.button("Play")).to_be_visible()
    await expect(page.locator(".node-bounds:not(:empty)")).to_have_count(0)
    await page.get_by_label("Show alpha and beta").check()
    await expect(page.locator(".node-bounds:not(:empty)")).not_to_have_count(0)


async def test_the_start_page_leads_to_the_chapters(open_window: OpenWindow) -> None:
    """Without a reload, so the page loads its style sheet and its texts then, and only then."""
    window = await open_window(1280, 800, locale="de")
    paths: list[str] = []
    window.page.on("request", lambda request: paths.append(request.url))
    await window.open()
    link = window.page.locator(".start-foot a[href$='/learn']")
    await expect(link).to_be_visible()
    assert [path for path in paths if "learn" in path] == []
    await link.click()
    await expect(window.page.get_by_role("heading", name="Eine Stellung hat einen Wert")).to_be_visible()
    columns = await window.page.locator(".stage").evaluate("stage => getComputedStyle(stage).display")
    assert columns == "grid"
    await window.page.get_by_role("link", name="Weiter: Minimax").click()
    await expect(window.page.get_by_role("heading", name="2. Minimax")).to_be_focused()


async def test_larger_games_say_what_is_proved(open_window: OpenWindow) -> None:
    window = await _opened(open_window, "beyond", 1280, 800)
    await window.cell("b2").click()
    await expect(window.page.locator(".learn-sentence")).to_have_text(
        "Proved: with the best play of both it is a draw."
    )
    await window.page.get_by_label("Game").select_option("four-in-a-row")
    await expect(window.page.locator(".stage .cell")).to_have_count(42)
    await window.cell("d1").click()
    await expect(window.cell("d6")).to_have_attribute("data-mark", "X")
