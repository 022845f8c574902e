"""The picture of a board: what each game shows, in which colours, and what moves."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from typing import Any, Final

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from tests.support.browser import OpenWindow, box
from tests.support.player import WAIT_S

pytestmark = pytest.mark.asyncio(loop_scope="session")

DELAY_S: Final = 0.3
DRAW: Final = """
async ([key, game]) => {
  const script = document.querySelector("script[type=module]").src;
  const { drawBoard, positionOf } = await import(script.replace("start/main.js", "board/picture.js"));
  const { variants } = await (await fetch("/api/variants")).json();
  const holder = document.querySelector("#drawn") ?? document.createElement("div");
  holder.id = "drawn";
  holder.style.width = "500px";
  document.body.replaceChildren(holder);
  const variant = variants.find((variant) => variant.key === key);
  drawBoard(holder, positionOf(variant, { legal: [], turn: null, outcome: null, ...game }));
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

GAMES: Final = 6
BEGIN: Final = "move "
PLAY_CELLS: Final = """async cells => {
  const frame = () => new Promise(requestAnimationFrame);
  for (const cell of cells) {
    const node = document.querySelector(`[data-cell='${cell}']`);
    while (!node.classList.contains("legal")) await frame();
    await frame();
    performance.mark("move " + cell);
    node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    while (!node.dataset.mark || document.querySelector(".pending")) await frame();
    await new Promise(resolve => requestIdleCallback(resolve));
  }
  performance.mark("move end");
  await new Promise(resolve => setTimeout(() => {
    const table = document.createElement("div");
    for (let n = 0; n < 1_000; n++) {
      const node = document.createElement("p");
      node.className = `cell layer-${n % 7}`;
      node.textContent = String(n);
      table.append(node);
    }
    document.body.append(table);
    table.getBoundingClientRect();
    table.remove();
    resolve();
  }));
  performance.mark("move baseline end");
}"""
"""Play cells without the commands of a test, whose tasks would count too.

Then lay out a thousand paragraphs. That takes about 12.5 ms on the machine on which the goal was set: 50 ms on a processor
four times slower. So it is the budget of a move, and larger on a slower machine.
"""


async def draw(page: Page, key: str, **game: Any) -> None:
    """Draw a game of the protocol on a page of the server."""
    await page.evaluate(DRAW, [key, game])


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


async def test_sitting_down_shows_no_ghost(open_window: OpenWindow) -> None:
    """Show no half-transparent mark to players who have just met, though the page sets the focus."""
    owner = await open_window(390, 844, has_touch=True)
    await owner.start("friend", Your_mark="X")
    friend = await (await open_window(390, 844, has_touch=True)).open(await owner.invite_link())
    await friend.page.get_by_role("button", name="Play as O").tap()
    for window in (owner, friend):
        await window.expect_phase("playing")
        await expect(window.page.locator(".ghost")).to_have_count(0)
    await owner.play("b2")
    await expect(friend.cell("b2")).to_have_attribute("data-mark", "X")
    await expect(friend.page.locator(".ghost")).to_have_count(0)


async def test_misere_crosses_the_losing_line_out(open_window: OpenWindow) -> None:
    """Draw a zigzag over the line that loses, and no highlighter."""
    page = (await (await open_window()).open()).page
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
    await expect(player.cell("a1")).to_have_accessible_name("a1, X, disappears with the next move")
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


@pytest.mark.parametrize("slanted", [False, True])
async def test_qubic_shows_a_line_through_layers(open_window: OpenWindow, slanted: bool) -> None:
    """Connect the cells of a line in four layers with dots, and number them."""
    page = (await (await open_window()).open()).page
    line = ["a1.1", "b2.2", "c3.3", "d4.4"]
    game = {
        "marks": marks(" ".join(line), "b1.1 c1.1"),
        "moves": ["c3.3"],
        "outcome": {"winner": "X", "reason": "line", "cells": line},
    }
    await draw(page, "qubic", **game)
    if slanted:
        await page.evaluate(
            DRAW.replace("positionOf(", "{slanted: true, ...positionOf(").replace("...game })", "...game })}"),
            ["qubic", game],
        )
    assert await page.locator(".dot").count() >= 9
    assert await page.locator(".line-number").all_text_contents() == ["1", "2", "3", "4"]


async def test_qubic_shows_the_cell_in_other_layers(pass_and_play: OpenWindow) -> None:
    """Show the place of the hovered cell in the other three layers."""
    player = await pass_and_play("qubic")
    await player.cell("b2.3").hover()
    await expect(player.page.locator(".twin")).to_have_count(3)


async def test_ultimate_shows_forced_and_won_boards(pass_and_play: OpenWindow) -> None:
    """Frame the forced board in the mover's colour, within the picture. Mark a won board, and highlight three in a line."""
    player = await pass_and_play("ultimate")
    await player.play("e5")
    await expect(player.page.locator(".small-board.playable")).to_have_count(1)
    await expect(player.page.locator(".cell.legal")).to_have_count(8)
    # O is sent to a small board from the middle one, and sends X back to it each time.
    await player.play("e4", "e2", "d4", "b2", "f4")
    await expect(player.page.locator(".small-board.o")).to_have_count(1)
    await expect(player.cell("d5")).to_have_accessible_name("d5, empty, middle board, won by O")
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
    await expect(player.page.locator(".highlight.x .highlighter")).to_have_count(1)
    await expect(player.page.locator(".large .board-mark.x.in-line")).to_have_count(3)
    await expect(player.page.locator(".small-board.draw .hatch")).to_be_visible()


async def test_drawing_again_changes_nothing(open_window: OpenWindow) -> None:
    """Change no node when the same position is drawn twice."""
    page = (await (await open_window()).open()).page
    game = {"marks": marks("a1 b2", "c3"), "moves": ["a1", "c3", "b2"], "turn": "O"}
    await draw(page, "classic", **game)
    again = DRAW.replace("document.body.replaceChildren(holder);", "")
    changes = await page.evaluate(
        f"""async game => {{
          let changes = 0;
          const observer = new MutationObserver(records => changes += records.length);
          const attributeFilter = ["d", "x", "transform", "data-of"];
          observer.observe(document.body, {{ subtree: true, childList: true, attributes: true, attributeFilter }});
          await ({again})(["classic", game]);
          return changes + observer.takeRecords().length;
        }}""",
        game,
    )
    assert changes == 0


async def test_forced_colours_keep_every_meaning(open_window: OpenWindow) -> None:
    """Tell the newest mark, a won line, the forced board and the mark that leaves by outline or shape."""
    page = (await (await open_window(forced_colors="active")).open()).page
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


async def task_times(page: Page, cells: list[str]) -> list[float]:
    """Play moves on a page for two. Return the longest processor time of a task for each, in ms, and after them the budget.

    The time that a task waits for a processor does not count, nor do the commands of the test. A move that the browser
    did not record, which happens on a busy machine, has an infinite time.
    """
    browser = page.context.browser
    assert browser is not None
    await browser.start_tracing(page=page, categories=["toplevel", "blink.*"])
    await page.evaluate(PLAY_CELLS, cells)
    events: list[dict[str, Any]] = json.loads(await browser.stop_tracing())["traceEvents"]
    marks = {event["name"].removeprefix(BEGIN): event for event in events if event["name"].startswith(BEGIN)}
    threads = {(event["pid"], event["tid"]) for event in marks.values()}
    tasks = [
        (event["ts"], event["tdur"] / 1000)
        for event in events
        if event["name"].endswith("RunTask") and "tdur" in event and (event["pid"], event["tid"]) in threads
    ]
    longest = []
    for begin, end in itertools.pairwise([*cells, "end", "baseline end"]):
        span = (marks[begin]["ts"], marks[end]["ts"]) if begin in marks and end in marks else (math.inf, 0.0)
        longest.append(max((duration for time, duration in tasks if span[0] <= time < span[1]), default=math.inf))
    return longest


async def test_a_move_on_the_largest_board_is_short(open_window: OpenWindow) -> None:
    """Draw each of twenty moves on 15x15 without a task of over 50 ms on a processor four times slower.

    The shortest time of a move in a few games counts, because the machine's other work only adds.
    """
    player = await open_window()
    cells = [f"{column}{row}" for row in (2, 8, 14, 5) for column in "adgjm"]
    shortest = [math.inf] * (len(cells) + 1)
    moves, baseline = shortest, math.inf
    for _ in range(GAMES):
        await player.start("pass_and_play", "gomoku")
        await player.expect_phase("playing")
        times = await task_times(player.page, cells)
        shortest = [min(pair) for pair in zip(shortest, times, strict=True)]
        *moves, baseline = shortest
        if max(moves) < baseline:
            return
    pytest.fail(f"after {GAMES} games, the longest tasks of the moves take {moves} ms, of a budget of {baseline} ms")
