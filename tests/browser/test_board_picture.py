"""The picture of a board: what each game shows, in which colours, and what moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, WebSocketRoute, expect

from tests.support.browser import OpenWindow, Window, box
from tests.support.player import WAIT_S
from tests.support.server import RunningServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

DELAY_S: Final = 0.3
DRAW: Final = """
async ([key, game, end]) => {
  const script = document.querySelector("script[type=module]").src;
  const { createPicture, positionOf } = await import(script.replace("main/main.js", "board/picture.js"));
  const { variants } = await (await fetch("/api/variants")).json();
  const holder = document.createElement("div");
  holder.style.width = "500px";
  document.body.replaceChildren(holder);
  const variant = variants.find((variant) => variant.key === key);
  const picture = createPicture(variant, game);
  holder.append(picture.element);
  picture.draw(positionOf(variant, { legal: [], turn: null, outcome: null, ...game }));
  if (!end) return;
  picture.draw(positionOf(variant, { legal: [], turn: null, ...game, ...end }));
  await picture.celebrate("won");
}
"""
RECORD: Final = """
cell => {
  window.recorded = { added: 0, removed: 0, animations: [] };
  const isIt = node => node.dataset?.of === cell;
  new MutationObserver(records => {
    for (const { addedNodes, removedNodes } of records) {
      recorded.added += [...addedNodes].filter(isIt).length;
      recorded.removed += [...removedNodes].filter(isIt).length;
    }
  }).observe(document.querySelector(".board-picture"), { childList: true, subtree: true });
  document.addEventListener("animationstart", event => recorded.animations.push(event.animationName));
}
"""

CELLS: Final = 225
COUNT_CHANGES: Final = """() => {
  window.changes = { childList: 0, attributes: 0 };
  new MutationObserver(records => {
    for (const { type, addedNodes, removedNodes } of records) {
      changes[type] += type === "attributes" ? 1 : addedNodes.length + removedNodes.length;
    }
  }).observe(document.querySelector(".board"), { subtree: true, childList: true, attributes: true });
}"""
"""Count the nodes of the board that come and go, and the attributes that change."""


async def draw(page: Page, key: str, end: Any = None, **game: Any) -> None:
    """Draw a game of the protocol on a page of the server, once the page has drawn itself. ``end`` is what then wins it."""
    await page.wait_for_load_state("networkidle")
    await page.evaluate(DRAW, [key, game, end])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def page(browser: Browser, server: RunningServer) -> AsyncIterator[Page]:
    """Return the one page on which tests draw games that nobody plays."""
    context = await browser.new_context(service_workers="block")
    window = await Window(context, await context.new_page(), server.url).open()
    yield window.page
    assert window.faults == []
    await context.close()


def marks(x: str, o: str) -> dict[str, str]:
    """Return marks by cell."""
    return dict.fromkeys(x.split(), "X") | dict.fromkeys(o.split(), "O")


async def test_your_mark_is_drawn_once(open_window: OpenWindow) -> None:
    """Draw a mark at the tap, and neither remove nor draw it again when a slow answer comes."""
    player = await open_window()

    async def relay(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        loop = asyncio.get_running_loop()
        socket.on_message(lambda message: loop.call_later(DELAY_S, server.send, message))
        server.on_message(lambda message: loop.call_later(DELAY_S, socket.send, message))

    await player.page.route_web_socket("**/ws", relay)
    await player.start("pass_and_play")
    await player.expect_phase("playing")
    await player.page.evaluate(RECORD, "b2")
    await player.page.evaluate(
        """() => {
          const cell = document.querySelector("[data-cell=b2]");
          cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
          return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }"""
    )
    assert await player.page.locator(".marks [data-of=b2]").count() == 1, "the mark shows within a frame or two"
    await player.play("a1")
    async with asyncio.timeout(WAIT_S):
        while await player.page.evaluate("recorded.animations.filter(name => name === 'pen').length") < 3:  # noqa: ASYNC110 - a page
            await asyncio.sleep(0.05)  # two strokes of X and one of O begin one after the other
    recorded = await player.page.evaluate("recorded")
    assert (recorded["added"], recorded["removed"]) == (1, 0)
    assert recorded["animations"].count("pen") == 3


async def test_misere_crosses_the_losing_line_out(page: Page) -> None:
    """Draw a zigzag over the line that loses, and no highlighter."""
    outcome = {"winner": "X", "reason": "line", "cells": ["a1", "a2", "a3"]}
    await draw(page, "misere", marks=marks("b2 c1 c3", "a1 a2 a3"), moves=["b2", "a2"], outcome=outcome)
    await expect(page.locator(".zigzag.stroke")).to_have_count(1)
    await expect(page.locator(".highlighter")).to_have_count(0)
    await draw(page, "classic", marks=marks("a1 a2 a3", "b2 c1"), moves=["c1", "a3"], outcome=outcome)
    await expect(page.locator(".zigzag")).to_have_count(0)
    await expect(page.locator(".highlight.x .highlighter")).to_have_count(1)
    await expect(page.locator(".board-mark:not(.in-line)").first).to_have_css("opacity", "0.78")


async def test_vanishing_shows_the_next_marks_to_leave(pass_and_play: OpenWindow) -> None:
    """Name and outline the mark that leaves next, draw the one after it thinner, and run a leaving mark backwards."""
    player = await pass_and_play("vanishing")
    await player.play("a1", "b1", "b2", "c1", "a2", "c2")
    await expect(player.cell("a1")).to_have_accessible_name("row 1, column 1, X, disappears with the next move")
    await expect(player.page.locator(".hollow")).to_have_attribute("data-of", "a1")
    await expect(player.page.locator(".hollow .outline")).to_be_visible()
    await expect(player.page.locator(".aging")).to_have_attribute("data-of", "b1")
    await player.page.evaluate(RECORD, "a1")
    await player.play("b3")
    await expect(player.page.locator("[data-of=a1]")).to_have_count(0)
    assert "pen-back" in await player.page.evaluate("recorded.animations")


async def test_a_disc_falls_into_the_rack(pass_and_play: OpenWindow) -> None:
    """Let a disc fall longer for each row, and keep it over the rack afterwards."""
    player = await pass_and_play("four-in-a-row")
    await player.page.evaluate(RECORD, "d6")
    await player.cell("d1").hover()
    await expect(player.page.locator(".waiting.x")).to_have_count(1)
    duration = await player.page.evaluate(
        """() => new Promise(resolve => {
          const report = event => resolve(getComputedStyle(event.target).animationDuration);
          document.addEventListener("animationstart", report, { once: true });
          document.querySelector("[data-cell=d1]").dispatchEvent(new MouseEvent("click", { bubbles: true }));
        })"""
    )
    assert duration == "0.33s"  # 90 ms, and 40 ms for each of six rows
    await expect(player.page.locator(".marks [data-of=d6]")).to_have_count(1)
    await expect(player.page.locator(".falling > *")).to_have_count(0)


async def test_strokes_fly_while_the_last_disc_falls(page: Page) -> None:
    """Celebrate a win in four in a row as on the other boards. In misère the strokes are the winner's."""
    x, o = "d6 d5 d4", "e6 e5 e4"
    outcome = {"winner": "X", "reason": "line", "cells": ["d6", "d5", "d4", "d3"]}
    end = {"marks": marks(f"{x} d3", o), "moves": ["d3"], "outcome": outcome}
    await draw(page, "four-in-a-row", end, marks=marks(x, o), moves=["e4"])
    await expect(page.locator(".flying")).to_have_count(14)
    end = {
        "marks": marks("a1 b1 c1", "a2 b3"),
        "moves": ["c1"],
        "outcome": outcome | {"winner": "O", "cells": ["a1", "b1", "c1"]},
    }
    await draw(page, "misere", end, marks=marks("a1 b1", "a2 b3"), moves=["b3"])
    await expect(page.locator(".flying .board-mark.o")).to_have_count(14)


async def test_stones_lie_on_crossings(pass_and_play: OpenWindow) -> None:
    """Draw a stone where two lines cross, in the middle of its cell."""
    player = await pass_and_play("gomoku")
    await player.play("h8")
    stone = await box(player.page.locator(".board-mark[data-of=h8]"))
    cell = await box(player.cell("h8"))
    star = await box(player.page.locator(".star").nth(2))
    for other in (cell, star):
        assert stone["x"] + stone["width"] / 2 == pytest.approx(other["x"] + other["width"] / 2, abs=0.6)
        assert stone["y"] + stone["height"] / 2 == pytest.approx(other["y"] + other["height"] / 2, abs=0.6)
    await expect(player.page.locator(".rim text")).to_have_count(30)
    await expect(player.page.locator(".patch.stone.x")).to_have_count(1)


async def test_qubic_shows_a_line_through_layers(page: Page) -> None:
    """Draw one straight line through the cells in a stack. Number them in the flat view, where a line would cross others."""
    line = ["a1.1", "b2.2", "c3.3", "d4.4"]
    game = {
        "marks": marks(" ".join(line), "b1.1 c1.1"),
        "moves": ["c3.3"],
        "outcome": {"winner": "X", "reason": "line", "cells": line},
    }
    for slanted in (False, True):
        await draw(page, "qubic", slanted=slanted, **game)
        await expect(page.locator(".line-cell")).to_have_count(4)
        await expect(page.locator(".straight")).to_have_count(1 if slanted else 0)
        assert await page.locator(".line-number").all_text_contents() == ([] if slanted else ["1", "2", "3", "4"])


async def test_qubic_shows_the_cell_in_other_layers(pass_and_play: OpenWindow) -> None:
    """Show the place of the hovered cell in the other three layers, until the game is over."""
    player = await pass_and_play("qubic")
    await player.cell("b2.3").hover()
    await expect(player.page.locator(".twin")).to_have_count(3)
    await player.resign()
    await player.expect_phase("finished")
    await player.cell("b2.3").hover()
    await expect(player.page.locator(".twin")).to_have_count(0)


async def test_ultimate_shows_forced_and_won_boards(pass_and_play: OpenWindow) -> None:
    """Frame the forced board in the mover's colour, within the picture. Mark a won board, and highlight three in a line."""
    player = await pass_and_play("ultimate")
    await player.play("e5")
    await expect(player.page.locator(".small-board.playable")).to_have_count(1)
    await expect(player.page.locator(".cell.legal")).to_have_count(8)
    # O is sent to a small board from the middle one, and sends X back to it each time.
    await player.play("e4", "e2", "d4", "b2", "f4")
    await expect(player.page.locator(".small-board.o")).to_have_count(1)
    await expect(player.cell("d5")).to_have_accessible_name("row 5, column 4, empty, middle board, won by O")
    frame = await box(player.page.locator(".playable .frame"))
    board = await box(player.page.locator(".small-board").first)
    picture = await box(player.board)
    assert frame["x"] >= board["x"] >= picture["x"]
    assert frame["y"] >= board["y"] >= picture["y"]
    await expect(player.page.locator(".small-board.playable")).to_have_attribute("data-turn", "X")
    cells = "a1 b1 c1 e5 d4 f6 g9 h9 i9".split()
    outcome = {"winner": "X", "reason": "line", "cells": cells}
    boards = ["X", None, "O", None, "X", None, "draw", None, "X"]
    await draw(player.page, "ultimate", marks=marks(" ".join(cells), ""), moves=["i9"], boards=boards, outcome=outcome)
    await expect(player.page.locator(".highlight.x .straight")).to_have_count(1)
    await expect(player.page.locator(".large .board-mark.x.in-line")).to_have_count(3)
    await expect(player.page.locator(".small-board.draw .hatch")).to_be_visible()


async def test_forced_colours_keep_every_meaning(page: Page) -> None:
    """Tell the newest mark, a won line, the forced board and the mark that leaves by outline or shape."""
    await page.emulate_media(forced_colors="active")
    await draw(
        page, "vanishing", marks=marks("a1 b2 a2", "b1 c1 c2"), moves="a1 b1 b2 c1 a2 c2".split(), fading="a1", turn="X"
    )
    await expect(page.locator(".hollow .outline")).to_be_visible()
    assert await page.locator(".patch rect").evaluate("node => getComputedStyle(node).stroke") != "none"
    await draw(
        page,
        "classic",
        marks=marks("a1 a2 a3", "b2 c1"),
        moves=["a3"],
        outcome={"winner": "X", "cells": ["a1", "a2", "a3"]},
    )
    await expect(page.locator(".capsule")).to_be_visible()
    await draw(page, "ultimate", marks=marks("e5", ""), moves=["e5"], turn="O", forced=4, boards=[None] * 9)
    await expect(page.locator(".playable .frame")).to_be_visible()
    await page.emulate_media(forced_colors="none")


async def test_a_move_on_the_largest_board_changes_little(pass_and_play: OpenWindow) -> None:
    """Exchange a few nodes for a move on 15x15. No cell changes but in what says that it cannot be played meanwhile.

    So the longest task of a move stays under 50 ms on a processor four times slower.
    """
    player = await pass_and_play("gomoku")
    await player.play("a1", "c3")
    await expect(player.page.locator(".cell.legal")).to_have_count(CELLS - 2)
    await player.page.evaluate(COUNT_CHANGES)
    await player.play("h8")
    changes = await player.page.evaluate("changes")
    assert 0 < changes["childList"] < 20
    assert changes["attributes"] < 4 * CELLS + 50
