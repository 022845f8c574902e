"""Moves and ends of games, counted: every variant against the slow rules of ``tests.support.slow_rules``.

A perft count is the number of ways to go on for a number of plies. A game that ends sooner counts no further.
"""

from __future__ import annotations

import random
from collections.abc import Hashable

import pytest

from noughts.rules.game import Game, new_game, replay
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant
from tests.support.slow_rules import SlowGame, every_cell, name_of, slow_perft

SIX_BY_FIVE = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
OTHERS = (
    SIX_BY_FIVE,
    Variant("small-cube", "Small cube", "Three in a line wins.", (3, 3, 3), 3),
    Variant("anti-drop", "Anti-drop", "Four in a line loses.", (5, 4), 4, gravity=True, misere=True),
    Variant("fading-4", "Fading four", "Three in a line wins, four marks stay.", (4, 3), 3, marks_kept=4),
)
ALL = (*VARIANTS.values(), *OTHERS)
BY_KEY = {variant.key: variant for variant in ALL}

FROM_THE_START = (
    # the literature has those of classic up to 9, and of four in a row up to 9, as well
    ("classic", 9, 127_872),
    ("misere", 9, 127_872),
    ("vanishing", 6, 54_720),
    ("4x4", 4, 43_680),
    ("5x5", 3, 13_800),
    ("four-in-a-row", 6, 117_649),
    ("qubic", 2, 4_032),
    ("gomoku", 2, 50_400),
    ("ultimate", 4, 55_080),
    ("6x5", 3, 24_360),
)
"""Variant, depth, ways to go on from the empty board."""
DEEPER = (
    ("4x4", 6, 5_765_760),
    ("5x5", 4, 303_600),
    ("four-in-a-row", 8, 5_673_234),
    ("qubic", 3, 249_984),
    ("vanishing", 8, 396_576),
    ("6x5", 4, 657_720),
)
"""The same, for a run of the long tests."""


def perft(position: Position, depth: int, counts: dict[tuple[Hashable, int], int]) -> int:
    """Return the number of ways to go on, each position counted once.

    Equal keys have equal futures but for repetition, which needs more plies than any count here.
    """
    if depth == 0:
        return 1
    key = (position.key, depth)
    if key not in counts:
        total = 0
        for cell in position.legal():
            after = position.play(cell)
            if depth == 1 or after.ended(cell) is None:
                total += perft(after, depth - 1, counts)
        counts[key] = total
    return counts[key]


@pytest.mark.parametrize(
    ("key", "depth", "count"), [*FROM_THE_START, *(pytest.param(*case, marks=pytest.mark.long) for case in DEEPER)]
)
def test_perft_from_the_empty_board(key: str, depth: int, count: int) -> None:
    assert perft(new_game(BY_KEY[key]).position, depth, {}) == count


@pytest.mark.parametrize("variant", ALL, ids=lambda variant: variant.key)
def test_slow_rules_count_the_same_where_games_end(variant: Variant) -> None:
    """From positions a few plies before the end of a random game. Some of the ways to go on are shorter."""
    rng = random.Random(variant.key)
    depth = 2 if variant.cells > 27 else 3
    shorter = 0
    for _ in range(2 if variant.cells > 100 else 4):
        game = new_game(variant)
        while game.outcome is None:
            game = game.play(rng.choice(game.legal()))
        before_end, slow = replay(variant, game.moves[: -rng.randint(1, depth)]), SlowGame(variant)
        cells = {name_of(variant, cell): cell for cell in every_cell(variant)}
        for name in before_end.move_names:
            slow.play(cells[name])
        count = perft(before_end.position, depth, {})
        assert count == slow_perft(slow, depth)
        shorter += any(before_end.play(cell).outcome is not None for cell in before_end.legal())
    assert shorter, "no game ended within a ply of these positions"


@pytest.mark.parametrize("variant", ALL, ids=lambda variant: variant.key)
def test_whole_games_agree_at_every_ply(variant: Variant) -> None:
    rng = random.Random(variant.key)
    reasons = set()
    for _ in range(6 if variant.cells > 100 else 40):
        game, slow = new_game(variant), SlowGame(variant)
        while True:
            moves = {variant.names.index(name_of(variant, cell)): cell for cell in slow.moves()}
            assert sorted(moves) == list(game.legal())
            if game.outcome is not None:
                break
            assert slow.end is None
            cell = rng.choice(game.legal())
            slow.play(moves[cell])
            game = game.play(cell)
        agree_on_the_end(game, slow)
        reasons.add(game.outcome.reason)
    assert "line" in reasons


def agree_on_the_end(game: Game, slow: SlowGame) -> None:
    assert game.outcome is not None
    assert slow.end == (game.outcome.winner or "draw")
    if not game.variant.nested:
        names = [game.variant.names[cell] for cell in game.outcome.cells]
        assert sorted(names) == sorted(name_of(game.variant, cell) for cell in slow.line)
