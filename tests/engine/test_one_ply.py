"""What is seen at a glance."""

from __future__ import annotations

import random

import pytest

from noughts.engine.one_ply import at_a_glance, at_random, completing
from noughts.rules.game import new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.position import FamilyPosition
from noughts.rules.ultimate import UltimatePosition
from noughts.rules.variant import VARIANTS, Variant


def names(variant: Variant, cells: tuple[int, ...]) -> list[str]:
    return [cell_names(variant.shape)[cell] for cell in cells]


@pytest.mark.parametrize("key", [key for key, variant in VARIANTS.items() if not variant.nested])
def test_cells_that_complete_a_line_are_found_as_the_rules_find_them(key: str) -> None:
    variant = VARIANTS[key]
    rng = random.Random(key)
    found = 0
    for _ in range(6 if variant.cells > 30 else 30):
        game = new_game(variant)
        while game.outcome is None and game.ply < 60:
            for mark in MARKS:
                seen = completing(game.position, mark)
                found += len(seen)
                assert list(seen) == [cell for cell in game.legal() if completes(game.position, cell, mark)]
            game = game.play(rng.choice(game.legal()))
    assert found


def completes(position: object, cell: int, mark: Mark) -> bool:
    """By the rules, for either side: what is not the mover's turn is taken for it."""
    assert isinstance(position, FamilyPosition)
    if position.turn != mark:
        if position.variant.marks_kept is not None:
            return completes_after_a_move_elsewhere(position, cell)
        position = FamilyPosition(position.variant, position.x, position.o, position.ply + 1)
    outcome = position.play(cell).ended(cell)
    return outcome is not None and outcome.reason == "line"


def completes_after_a_move_elsewhere(position: FamilyPosition, cell: int) -> bool:
    """In vanishing the other side moves after mine, when its oldest mark may be due to leave."""
    elsewhere = next(other for other in position.legal() if other != cell)
    outcome = position.play(elsewhere).play(cell).ended(cell)
    return outcome is not None and outcome.reason == "line"


@pytest.mark.parametrize(
    ("key", "moves", "cells"),
    [
        ("classic", "a1 a2 b1 b2", {"c1"}),  # completes its own line rather than block
        ("classic", "a1 a2 c3 b2", {"c2"}),  # blocks
        ("misere", "a1 a2 b1 c3", {"b2", "c2", "a3", "b3"}),  # shuns its own line
        ("misere", "a1 b2 c3 a2", {"b1", "c1", "a3", "b3"}),  # and leaves c2, the other's, to the other
        ("four-in-a-row", "d6 a6 d5 a5 d4", {"d3"}),
    ],
)
def test_completes_blocks_else_anything(key: str, moves: str, cells: set[str]) -> None:
    variant = VARIANTS[key]
    position = replay_names(variant, moves.split()).position
    rng = random.Random(1)
    played = {cell_names(variant.shape)[at_a_glance(position, rng)] for _ in range(200)}
    assert played == cells


def ultimate(x: str, o: str, boards: str = ".........", sent: int | None = None) -> UltimatePosition:
    variant = VARIANTS["ultimate"]
    every = cell_names(variant.shape)
    masks = [sum(1 << every.index(name) for name in cells.split()) for cells in (x, o)]
    decided = tuple({".": None, "X": "X", "O": "O"}[one] for one in boards)
    return UltimatePosition(variant, masks[0], masks[1], 20, decided, sent)  # type: ignore[arg-type]


def test_in_ultimate_small_boards_are_completed_and_blocked() -> None:
    rng = random.Random(1)
    name = cell_names((9, 9)).__getitem__
    own = ultimate("d4 e4", "d5 e5", sent=4)
    assert names(own.variant, completing(own, "X")) == ["f4"]
    assert names(own.variant, completing(own, "O")) == ["f5"]
    assert {name(at_a_glance(own, rng)) for _ in range(50)} == {"f4"}
    block = ultimate("d4", "d5 e5", sent=4)
    assert {name(at_a_glance(block, rng)) for _ in range(50)} == {"f5"}


def test_in_ultimate_a_board_that_wins_comes_before_any_other() -> None:
    rng = random.Random(1)
    # X has boards 0 and 1, and two marks in each of boards 2 and 8.
    position = ultimate("g1 h1 g7 h7", "", boards="XX.......")
    played = {cell_names((9, 9))[at_a_glance(position, rng)] for _ in range(50)}
    assert played == {"i1"}


def test_at_random_is_anywhere_legal_on_small_boards_and_next_to_marks_on_large_ones() -> None:
    rng = random.Random(1)
    classic = replay_names(VARIANTS["classic"], ["a1"]).position
    assert {at_random(classic, rng) for _ in range(300)} == set(classic.legal())
    gomoku = replay_names(VARIANTS["gomoku"], ["h8"]).position
    played = {cell_names((15, 15))[at_random(gomoku, rng)] for _ in range(300)}
    assert played == {"g7", "h7", "i7", "g8", "i8", "g9", "h9", "i9"}
    empty = new_game(VARIANTS["gomoku"]).position
    assert len({at_random(empty, rng) for _ in range(300)}) > 100
