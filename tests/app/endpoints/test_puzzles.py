"""Puzzles and minimax over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.app.runtime.limits import SEARCHES
from noughts.puzzles.collection import puzzle_of, records
from noughts.rules.variant import variant_named
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api
from tests.support.responses import rejection

PUZZLE = {"id", "variant", "kind", "grade", "moves", "marks", "turn", "legal", "plies"}


@pytest.mark.parametrize(("variant", "special"), [("classic", set()), ("vanishing", {"fading"})])
async def test_the_next_puzzle_shows_its_position_but_no_answer(
    server: LocalServer, variant: str, special: set[str]
) -> None:
    answer = await Api(server.url).get(f"/api/puzzles?variant={variant}&kind=win")
    assert set(answer) == {"puzzle", "count"}
    puzzle = answer["puzzle"]
    assert set(puzzle) == PUZZLE | special
    assert len(puzzle["marks"]) == min(6, len(puzzle["moves"])) if special else len(puzzle["moves"])
    assert await Api(server.url).get(f"/api/puzzles/{puzzle['id']}") == puzzle
    after = await Api(server.url).get(f"/api/puzzles?variant={variant}&kind=win&after={puzzle['id']}")
    assert after["puzzle"]["id"] != puzzle["id"]
    assert after["count"] == answer["count"]


async def test_the_daily_puzzle_is_named_by_the_date(server: LocalServer) -> None:
    daily = await Api(server.url).get("/api/puzzles/daily?variant=4x4")
    assert daily["puzzle"]["variant"] == "4x4"
    assert len(daily["date"]) == 10
    assert await Api(server.url).get("/api/puzzles/daily?variant=4x4") == daily


async def test_a_line_is_earned_step_by_step(server: LocalServer) -> None:
    variant = variant_named("classic")
    record = next(record for record in records("classic").values() if len(record.line.split()) == 5)
    api, path, line = Api(server.url), f"/api/puzzles/{record.id}/tries", record.line.split()
    first = await api.post(path, {"moves": line[:1]})
    assert (first["right"], first["done"], first["line"], first["reply"]) == (True, False, None, line[1])
    assert (await api.post(path, {"moves": line}))["line"] == line
    assert (await api.post(path, {"moves": [], "give_up": True}))["line"] == line
    puzzle = puzzle_of(variant, record)
    mistakes = next(cell for cell in puzzle.game.legal() if cell != puzzle.steps[0].answer)
    judgement = await api.post(path, {"moves": [variant.names[mistakes]]})
    assert (judgement["right"], judgement["done"], judgement["line"]) == (False, False, None)


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/api/puzzles?variant=chess", (400, "bad_message")),
        ("GET", "/api/puzzles?grade=6", (400, "bad_message")),
        ("GET", "/api/puzzles?grade=one", (400, "bad_message")),
        ("GET", "/api/puzzles?kind=lose", (400, "bad_message")),
        ("GET", "/api/puzzles?after=classic-00000000", (404, "unknown_puzzle")),
        ("GET", "/api/puzzles/classic-00000000", (404, "unknown_puzzle")),
        ("GET", "/api/puzzles/daily?variant=chess", (400, "bad_message")),
        ("GET", "/api/minimax?variant=misere", (400, "bad_message")),
        ("GET", "/api/minimax?alpha=2&beta=2", (400, "bad_message")),
        ("GET", "/api/minimax?moves=b2&from=2", (400, "bad_message")),
        ("GET", "/api/minimax?moves=b2&from=-1", (400, "bad_message")),
        ("GET", "/api/minimax?alpha=much", (400, "bad_message")),
        ("GET", "/api/minimax?depth=0", (400, "bad_message")),
        ("GET", "/api/minimax?moves=a1,b1,b2,c2&depth=2", (400, "bad_message")),
        ("GET", "/api/minimax?moves=b2,b2", (400, "illegal_move")),
    ],
)
async def test_a_wrong_request_is_rejected(
    server: LocalServer, method: str, path: str, expected: tuple[int, str]
) -> None:
    assert await rejection(Api(server.url), method, path) == expected


@pytest.mark.parametrize("body", [{"moves": ["b2", "b1"]}, {"moves": 3}, {"moves": ["z99"]}, {"moves": []}])
async def test_a_malformed_try_is_rejected(server: LocalServer, body: dict[str, object]) -> None:
    puzzle = next(iter(records("classic")))
    status, code = await rejection(Api(server.url), "POST", f"/api/puzzles/{puzzle}/tries", body)
    assert (status, code in ("bad_message", "illegal_move")) == (400, True)


async def test_minimax_counts_from_the_root_that_a_page_names(server: LocalServer) -> None:
    api = Api(server.url)
    empty = await api.get("/api/minimax")
    assert (empty["score"], empty["turn"], empty["outcome"]) == (0, "X", None)
    assert empty["nodes"] == {"minimax": 549_946, "alpha_beta": 20_866, "positions": 5_478}
    child = empty["children"][1]
    window = f"alpha={child['alpha']}&beta={child['beta']}&from=0"
    below = await api.get(f"/api/minimax?moves={child['cell']}&{window}")
    assert (below["score"], below["nodes"]) == (child["score"], child["nodes"])
    won = await api.get("/api/minimax?moves=a1,a2,b1,b2,c1&from=0")
    assert (won["score"], won["children"], won["turn"], won["outcome"]["winner"]) == (5, [], None, "X")


async def test_minimax_shows_the_whole_tree_below_four_free_cells(server: LocalServer) -> None:
    answer = await Api(server.url).get("/api/minimax?moves=a1,b1,b2,c2,b3&depth=4")
    waiting, count = [answer], 0
    while waiting:
        node = waiting.pop()
        waiting += node["children"]
        count += 1
    assert count == answer["nodes"]["minimax"] == 49


async def test_an_answer_that_is_kept_costs_no_credit(tmp_path: Path) -> None:
    """A class behind one address opens the same chapter."""
    async with local_server(tmp_path, limits=True) as server:
        for _ in range(2 * int(SEARCHES.rate.burst)):
            await Api(server.url).get("/api/minimax?moves=a1,b1,b2,c2,b3,c3&depth=3")
