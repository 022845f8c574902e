"""The values of every kernel: those of a slow solver near the end, none that is wrong earlier, and games that are won."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from noughts.engine.five_by_five.openings import load_openings
from noughts.engine.kernel import Kernel
from noughts.engine.kernels import new_kernel
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.verdict import UNKNOWN
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant
from tests.support.books import damage_books
from tests.support.budgets import endless, ticking
from tests.support.engine_games import game_at, random_game
from tests.support.slow_solver import SlowSolver, board_text
from tests.support.threats import late_position
from tests.support.ultimate import endings, slow_moves

TENTH: Final = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
POSITIONS: Final = 40
VALUES: Final = {1: "win", 0: "draw", -1: "loss"}


class Late(NamedTuple):
    """Positions of a variant with at most this many free cells, and whether the kernel counts all moves and plies there."""

    name: str
    make: Callable[[Variant], Kernel]
    variant: Variant
    free: int
    whole: bool = True


LATE: Final = (
    *(Late(key, new_kernel, VARIANTS[key], free) for key, free in (("classic", 5), ("misere", 5), ("4x4", 7))),
    Late("6x5", new_kernel, TENTH, 8),
    Late("5x5", new_kernel, VARIANTS["5x5"], 8),
    Late("four-in-a-row", new_kernel, VARIANTS["four-in-a-row"], 12),
    Late("qubic", new_kernel, VARIANTS["qubic"], 9, whole=False),
    Late("ultimate", new_kernel, VARIANTS["ultimate"], 9, whole=False),
    *(
        Late(f"threats {shape}", ThreatKernel, Variant("small", "", "", shape, line), 7, whole=False)
        for shape, line in (((5, 4), 4), ((6, 5), 5), ((7, 4), 4), ((4, 4, 2), 4), ((4, 3, 2), 4))
    ),
)


class Solved(NamedTuple):
    """A game, and the value and the plies of each move for the side that makes it."""

    game: Game
    moves: dict[int, tuple[int, int]]

    @property
    def best(self) -> tuple[int, int]:
        """The best of the moves: a win the sooner, a loss the later."""
        return max(self.moves.values(), key=lambda move: (move[0], -move[0] * move[1]))


@cache
def solved(late: Late) -> list[Solved]:
    """Return positions with what a solver finds that tries everything."""
    return list(islice(positions(late), POSITIONS))


def positions(late: Late) -> Iterator[Solved]:
    rng = random.Random(late.name)
    if late.variant.nested:
        yield from (
            Solved(game_at(position), slow_moves(position)) for position in endings(late.free, POSITIONS, seed=4)
        )
    solver = SlowSolver(late.variant)
    while True:
        free = rng.randint(2, late.free)
        if late.variant.gravity or late.variant.cells < 10:
            position: Position | None = random_game(late.variant, late.variant.cells - free, rng).position
        else:
            position = late_position(late.variant, rng, free)
        if position is None:
            continue
        board = board_text(position)
        moves = {cell: solver.after(board, cell)[1] for cell in solver.moves(board)}
        yield Solved(game_at(position), {cell: (worth.sign, worth.plies) for cell, worth in moves.items()})


@pytest.mark.parametrize("late", LATE, ids=lambda late: late.name)
def test_late_positions_are_analysed_as_by_a_slow_solver(late: Late) -> None:
    kernel = late.make(late.variant)
    for game, moves in solved(late):
        value, plies = Solved(game, moves).best
        verdict, best, complete = kernel.analyse(game.position, endless())
        keeping = {cell for cell, (move_value, _) in moves.items() if move_value == value}
        assert (verdict.value, verdict.proof) == (VALUES[value], "exact")
        assert verdict.plies == (plies if value else None) or (verdict.plies is None and not late.whole)
        assert best
        assert set(best) <= keeping
        assert set(best) == keeping or not complete
        assert value >= 0 or best == game.legal()
        assert complete or not late.whole


@pytest.mark.parametrize("late", LATE, ids=lambda late: late.name)
def test_it_wins_soonest_and_loses_latest(late: Late) -> None:
    """As far as its verdict counts the plies. An only move may be made without a verdict."""
    kernel = late.make(late.variant)
    for game, moves in solved(late):
        value, plies = Solved(game, moves).best
        choice = kernel.choose(game, ticking(3_000), random.Random(1))
        assert choice.verdict.value == VALUES[value] or (choice.verdict == UNKNOWN and len(moves) == 1)
        assert moves[choice.cell][0] == value
        assert choice.verdict.plies is None or moves[choice.cell] == (value, plies)
        assert choice.verdict.plies is not None or not value or not late.whole or len(moves) == 1


@pytest.mark.search
@pytest.mark.parametrize(("key", "plies"), [("4x4", 4), ("5x5", 6), ("four-in-a-row", 17)])
def test_an_interrupted_search_claims_nothing_wrong(key: str, plies: int, whole: bool) -> None:
    """The budget ends before the value is proved, or before the plies, all moves or the traps are.

    On 5x5 a value can be proved before any move that keeps it.
    """
    rng = random.Random(key)
    values = set()
    exact_kernel = new_kernel(VARIANTS[key])
    for _ in range(40 if whole else 5):
        game = random_game(VARIANTS[key], plies, rng)
        exact = exact_kernel.analyse(game.position, endless())
        for number in (0, 1, 2, 3, 5, 8, 13, 21, 34):
            verdict, best, _ = new_kernel(VARIANTS[key]).analyse(game.position, ticking(number))
            choice = new_kernel(VARIANTS[key]).choose(game, ticking(number), rng)
            assert verdict != UNKNOWN or best == ()
            assert verdict == UNKNOWN or (verdict.value == exact.verdict.value and (best or key == "5x5"))
            assert verdict.plies in (None, exact.verdict.plies)
            assert set(best) <= set(exact.best)
            assert choice.cell in game.legal()
            assert choice.verdict == UNKNOWN or choice.cell in exact.best
            assert choice.verdict.value in ("unknown", exact.verdict.value)
            values |= {verdict.value, choice.verdict.value}
    assert {"unknown"} < values


@pytest.mark.parametrize("key", ["5x5", "four-in-a-row", "qubic"])
def test_a_damaged_book_is_named_and_the_engine_goes_on(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage_books(tmp_path, monkeypatch)
    load_openings.cache_clear()
    game = new_game(VARIANTS[key])
    try:
        with pytest.warns(UserWarning, match=rf"plays {key} without its book.*make books"):
            assert new_kernel(game.variant).choose(game, ticking(3), random.Random(1)).verdict == UNKNOWN
    finally:
        load_openings.cache_clear()


@pytest.mark.parametrize(
    ("variant", "moves", "cells"),
    [
        (TENTH, "b2 a5 c2 b5 d2 f4", {"a2", "e2"}),
        (TENTH, "b2 a5 c2 b5 f1 c5", {"d5"}),
        (VARIANTS["5x5"], "b2 a5 c2 b4 d2 e4", {"a2", "e2"}),
        (VARIANTS["5x5"], "b2 a2 c2 b4 d2", {"e2"}),
        (VARIANTS["four-in-a-row"], "d6 d5 e6 c6 f6", {"g6"}),
        (VARIANTS["qubic"], "a1.1 b1.1 b2.2 c2.1 c3.3 d2.2", {"d4.4"}),
        (VARIANTS["qubic"], "a1.1 b1.1 b2.2 c2.1 c3.3", {"d4.4"}),
    ],
)
@pytest.mark.parametrize("readings", [0, 3, 60])
def test_with_any_budget_a_line_is_completed_or_blocked(
    variant: Variant, moves: str, cells: set[str], readings: int
) -> None:
    game = replay_names(variant, moves.split())
    choice = new_kernel(variant).choose(game, ticking(readings), random.Random(1))
    assert variant.names[choice.cell] in cells
