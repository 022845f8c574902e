"""Moves and ends of games, counted: every variant against the slow rules of ``tests.support.slow_rules``.

A perft count is the number of ways to go on for a number of plies. A game that ends sooner counts no further.
"""

from __future__ import annotations

import random
from collections.abc import Hashable

import pytest

from noughts.rules.game import Game, new_game, replay_names
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
    ("4x4", 5, 524_160),
    ("5x5", 4, 303_600),
    ("four-in-a-row", 6, 117_649),
    ("qubic", 3, 249_984),
    ("gomoku", 2, 50_400),
    ("ultimate", 4, 55_080),
    ("6x5", 4, 657_720),
)
"""Variant, depth, ways to go on from the empty board."""
DEEPER = (("4x4", 6, 5_765_760), ("four-in-a-row", 8, 5_673_234), ("vanishing", 8, 396_576))
"""The same, for a run of the long tests."""

TOWARDS_THE_END = (
    ("classic", "b3 a1 c3 a3", 2, 20),
    ("classic", "a2 b3 c1 b2 c2", 3, 14),
    ("classic", "c2 b1", 4, 760),
    ("misere", "a2 c1 c3 a1", 2, 20),
    ("misere", "a3 c3 b1", 3, 120),
    ("misere", "b3 c3 c2 b2 c1", 4, 12),
    ("vanishing", "c3 a1 b3 a2", 2, 16),
    ("vanishing", "b1 c3 a3 b3 c2 a2 c1 a1", 3, 12),
    ("vanishing", "b1 c2 b2", 4, 282),
    ("4x4", "a3 d3 c4 a4 b2 c1 a1 b3 d4 c3 b4 d1", 2, 12),
    ("4x4", "a1 d1 a4 c3 b2 b4 a2 c2", 3, 294),
    ("4x4", "a1 c1 b3 b4 d2 c3 c4 a2 b1 c2 b2 d3", 4, 24),
    ("5x5", "d4 e2 a5 d2 b5 e1 d1 c3 a2 c5 c1 b1 e4 a1 e3 a3 c2 c4 d3 d5", 2, 20),
    ("5x5", "a3 a2 e2 b3 c1 a1 e4 e3 b5 b1 d1 b2 c3 e1 b4 d2", 3, 448),
    ("5x5", "e5 e3 a5 c5 d5 b5 b1 d3 b3 c2 c3 e2 d2 d4 c1 a3 e4 b2 a2", 4, 144),
    ("four-in-a-row", "f6 c6 c5 a6 e6 e5 a5 d6", 2, 49),
    ("four-in-a-row", "a6 c6 g6 b6 c5 d6 c4 g5 a5 a4 d5 a3 e6 a2 c3 b5 a1 c2 c1 d4 f6 g4", 3, 125),
    ("four-in-a-row", "d6 e6 e5 a6 b6 d5 b5 d4 g6 a5 c6 a4 f6 d3 a3 c5 a2 f5 f4 c4", 4, 1499),
    (
        "qubic",
        "a1.3 a2.2 a4.1 a1.2 b4.1 b3.4 d2.1 d2.2 b2.3 d3.3 a1.4 d1.2 c3.1 c4.3 b2.4 a3.4 c3.3 a1.1 c3.2",
        2,
        1980,
    ),
    (
        "qubic",
        "c2.2 d1.4 c2.4 a4.1 c1.3 c3.4 c3.2 d3.1 a3.2 d2.2 d2.1 b2.1 a4.3 c4.4 a2.2 b4.3 a3.3 b1.2 d1.2 a1.2 a2.1 "
        "a3.1 b3.2 a3.4 d4.3 d4.4 b3.4 c2.1 b4.1 c4.2 b3.3 c3.1 d4.1 d2.3 d1.3 d3.4 c1.1 a4.4 b4.4",
        2,
        552,
    ),
    (
        "gomoku",
        "j5 j8 m11 g14 i10 b3 b7 e10 o1 l15 l14 c8 h14 h11 a12 h10 f5 n4 i11 i9 f8 n14 h3 i15 a8 d1 j1 b2 j10 e13 m1 "
        "k15 m7 g9 g3 b6 d11 i12 b15 o10 e2 e14 k10 h15 j14 a3 c4 c7 f12 o2 f1 j11 i8 n9 k13 a1 i2 o11 h4 k1 e1 i6 i3 "
        "c12 b4 a10 j12 n3 k4 n6 g7 e6 j3 g5 i5 c5 n1 j2 h7 b14 c11 g12 a14 k14 g8 e4 m13 l12 c9 m8 b9 n13 h6 i1 e15 "
        "f3 g2 l1 d12 m3 c1 n2 e11 o14 e3 e9 b5 b12",
        2,
        12_644,
    ),
    (
        "ultimate",
        "e7 d1 a1 c3 i7 h3 e9 f9 h7 e3 d7 b1 e1 f2 i4 g1 b3 e8 e5 f4 i2 h4 f1 h1 f3 g9 b7 d2 b6 d8 c5 h5 f5 g5 b4 d3 "
        "b9 d9 b8 f6 i9 h9 f7 g3 g6 b2 e4 i8 h6 i6 h8 d6 d4 a3 i3 g8 c6 g7 a2 a5 c4 i1",
        2,
        18,
    ),
    (
        "ultimate",
        "g4 c3 h9 e8 e5 f6 g8 b4 e3 e7 e2 f4 i1 g1 b2 d6 a9 b9 d9 b8 e6 f8 h6 d7 a3 a8 a6 c8 h5 f5 i4 i2 g6 g9 g7 c2 "
        "h3 f7 i3 h8 f2 g3 a5 c5 i8 c6 h7",
        3,
        278,
    ),
    (
        "ultimate",
        "g5 c5 i5 g6 b7 f2 i4 i1 h1 f3 i7 g2 a4 b3 e8 f5 h5 e4 d3 c8 b9 f7 h2 d5 b5 f6 g7 c3 g9 a7 b2 d6 a8 c4 i3 h7 "
        "d2 b4 e3 f8 b1 d1 a1 c1 g3 c9 h9 d8 c6 g8 i2 h8 e5 e6",
        4,
        630,
    ),
    ("6x5", "b1 e4 f4 e5 b4 c5 f5 a2 b2 d4 d2 a3 e3", 2, 272),
    ("6x5", "f4 f3 a4 c1 b4 b2 b3 d5 c4 e4 d2 e1 f5 c5 b5 e3 e2 a5 f2 d4 c3", 3, 392),
    ("6x5", "e1 c2 f4 f5 a4 f1 b4 c1 c3 d5 a5 f2 d4 c4 e4 f3 e2 a1 b2 d2 b1 b3", 4, 740),
    ("small-cube", "c3.2 b2.1 a1.3 a2.3 a2.2 a3.3 c1.3 b3.3 b2.3 c2.1", 2, 224),
    ("small-cube", "a1.1 c3.2 a2.3 c3.1 c2.1 a2.1 a3.1 b2.3 b3.2 b3.1 c2.2 a3.2 a2.2 a1.3 c1.2 b1.2 c1.1 a3.3", 4, 144),
    ("anti-drop", "c4 c3 c2 c1 d4 e4 b4", 2, 16),
    ("anti-drop", "b4 e4 c4 d4 c3 a4 c2", 4, 444),
    ("fading-4", "b2 c3 a2 a1 b3 b1 d2 c2 a3 d1 c1 b2 a1 c3 d3 a2 d2 b1 a3 c2 c1 a1 d1 b2", 2, 16),
    ("fading-4", "d3 d2 b1", 4, 2604),
)
"""Variant, the moves so far, depth, ways to go on from positions where some of the ways end."""


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


@pytest.mark.parametrize(
    ("key", "depth"),
    [
        ("classic", 4),
        ("misere", 4),
        ("vanishing", 4),
        ("4x4", 3),
        ("5x5", 3),
        ("four-in-a-row", 4),
        ("qubic", 2),
        ("gomoku", 2),
        ("ultimate", 3),
        ("6x5", 2),
    ],
)
def test_slow_rules_count_the_same_from_the_empty_board(key: str, depth: int) -> None:
    variant = BY_KEY[key]
    assert slow_perft(SlowGame(variant), depth) == perft(new_game(variant).position, depth, {})


@pytest.mark.parametrize(("key", "moves", "depth", "count"), TOWARDS_THE_END)
def test_perft_where_games_end(key: str, moves: str, depth: int, count: int) -> None:
    variant = BY_KEY[key]
    game = replay_names(variant, moves.split())
    assert game.outcome is None
    assert perft(game.position, depth, {}) == count
    slow = SlowGame(variant)
    cells = {name_of(variant, cell): cell for cell in every_cell(variant)}
    for name in moves.split():
        slow.play(cells[name])
    assert slow_perft(slow, depth) == count


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
