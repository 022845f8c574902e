"""One-ply play: completing a line, blocking one, and random moves."""

from __future__ import annotations

import random
from itertools import product

import pytest

from noughts.engine.one_ply import (
    completing_cells,
    forced_cells,
    grown,
    hasty_move,
    holding_cells,
    near_move,
    one_ply_move,
)
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.notation import cell_names
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.ultimate import UltimatePosition
from noughts.rules.variant import VARIANTS, Variant


def names(variant: Variant, cells: tuple[int, ...]) -> list[str]:
    return [cell_names(variant.shape)[cell] for cell in cells]


@pytest.mark.parametrize(("key", "steps"), [("4x4", 1), ("four-in-a-row", 2), ("gomoku", 2), ("qubic", 1)])
def test_cells_grow_by_steps_in_any_direction_on_the_board(key: str, steps: int) -> None:
    """From one cell: the others whose coordinates are all at most so far from its own."""
    shape = VARIANTS[key].shape
    spots = [spot[::-1] for spot in product(*(range(size) for size in reversed(shape)))]
    for cell, spot in enumerate(spots):
        near = [all(abs(a - b) <= steps for a, b in zip(spot, other, strict=True)) for other in spots]
        assert grown(1 << cell, shape, steps) == sum(1 << at for at, is_near in enumerate(near) if is_near)
    assert grown(1 | 1 << len(spots) - 1, shape, steps) == grown(1, shape, steps) | grown(
        1 << len(spots) - 1, shape, steps
    )


@pytest.mark.parametrize("key", [key for key, variant in VARIANTS.items() if not variant.nested])
def test_the_completing_cells_are_those_of_the_rules(key: str) -> None:
    variant = VARIANTS[key]
    rng = random.Random(key)
    total = 0
    for _ in range(6 if variant.cells > 30 else 30):
        game = new_game(variant)
        while game.outcome is None and game.ply < 60:
            for mark in MARKS:
                cells = completing_cells(game.position, mark)
                total += len(cells)
                assert list(cells) == [cell for cell in game.legal() if completes(game.position, cell, mark)]
            game = game.play(rng.choice(game.legal()))
    assert total


def completes(position: Position, cell: int, mark: Mark) -> bool:
    """Return by the rules whether ``mark`` completes a line on ``cell``, as if it were its turn."""
    assert isinstance(position, FamilyPosition)
    if position.turn != mark:
        if position.variant.marks_kept is not None:
            return completes_after_a_move_elsewhere(position, cell)
        position = FamilyPosition(position.variant, position.x, position.o, position.ply + 1)
    outcome = position.play(cell).ended(cell)
    return outcome is not None and outcome.reason == "line"


def completes_after_a_move_elsewhere(position: FamilyPosition, cell: int) -> bool:
    """In vanishing the opponent moves next, and then its oldest mark may leave."""
    elsewhere = next(other for other in position.legal() if other != cell)
    outcome = position.play(elsewhere).play(cell).ended(cell)
    return outcome is not None and outcome.reason == "line"


@pytest.mark.parametrize(
    ("key", "moves", "cells"),
    [
        ("classic", "a1 a2 b1 b2", {"c1"}),  # its own line comes before a block
        ("classic", "a1 a2 c3 b2", {"c2"}),  # a block
        ("classic", "b2", {"a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"}),  # neither: any cell
        ("misere", "a1 a2 b1 c3", {"b2", "c2", "a3", "b3"}),  # not its own line
        ("misere", "a1 b2 c3 a2", {"b1", "c1", "a3", "b3"}),  # not c2: O may have to complete that line
        ("four-in-a-row", "d6 a6 d5 a5 d4", {"d3"}),
    ],
)
def test_it_completes_else_blocks_else_plays_any_cell(key: str, moves: str, cells: set[str]) -> None:
    variant = VARIANTS[key]
    position = replay_names(variant, moves.split()).position
    rng = random.Random(1)
    choices = {cell_names(variant.shape)[one_ply_move(position, rng)] for _ in range(200)}
    assert choices == cells


def test_in_misere_without_a_safe_cell_it_still_moves() -> None:
    """Every free cell completes a line of X, the side to move: c3 and a3 are left."""
    position = replay_names(VARIANTS["misere"], ["a1", "b1", "c1", "a2", "b2", "c2", "b3"]).position
    o_to_move = completing_cells(position, "O")
    assert one_ply_move(position, random.Random(1)) in position.legal()
    assert o_to_move == ()
    lost = FamilyPosition(VARIANTS["misere"], position.x, position.o, position.ply + 1)
    assert names(lost.variant, completing_cells(lost, "X")) == ["a3", "c3"]
    assert one_ply_move(lost, random.Random(1)) in lost.legal()


def ultimate(x: str, o: str, boards: str = ".........", forced: int | None = None) -> UltimatePosition:
    variant = VARIANTS["ultimate"]
    all_names = cell_names(variant.shape)
    masks = [sum(1 << all_names.index(name) for name in cells.split()) for cells in (x, o)]
    owner: dict[str, Mark | None] = {".": None, "X": "X", "O": "O"}
    marks = tuple(owner[mark] for mark in boards)
    return UltimatePosition(variant, masks[0], masks[1], 20, marks, forced)


def test_in_ultimate_small_boards_are_completed_and_blocked() -> None:
    rng = random.Random(1)
    name = cell_names((9, 9)).__getitem__
    own = ultimate("d4 e4", "d5 e5", forced=4)
    assert names(own.variant, completing_cells(own, "X")) == ["f4"]
    assert names(own.variant, completing_cells(own, "O")) == ["f5"]
    assert {name(one_ply_move(own, rng)) for _ in range(50)} == {"f4"}
    block = ultimate("d4", "d5 e5", forced=4)
    assert {name(one_ply_move(block, rng)) for _ in range(50)} == {"f5"}


def test_in_ultimate_a_board_that_wins_comes_before_any_other() -> None:
    """X has boards 0 and 1, and two marks in each of boards 2 and 8."""
    rng = random.Random(1)
    position = ultimate("g1 h1 g7 h7", "", boards="XX.......")
    choices = {cell_names((9, 9))[one_ply_move(position, rng)] for _ in range(50)}
    assert choices == {"i1"}


def test_in_ultimate_a_hasty_move_does_not_allow_a_win_of_the_game() -> None:
    """O has boards 0 and 1, and two marks in board 2. X, in board 4, must not send O to board 2 or to a decided one."""
    rng = random.Random(2)
    position = ultimate("d6 e6", "g1 h1 d5 e5", boards="OO.......", forced=4)
    assert names(position.variant, holding_cells(position)) == ["f5", "f6"]
    assert names(position.variant, (hasty_move(position, 0.0, 0.0, rng),)) == ["f6"]  # its line comes before a block
    block = ultimate("d6", "g1 h1 d5 e5", boards="OO.......", forced=4)
    assert names(block.variant, (hasty_move(block, 0.0, 0.0, rng),)) == ["f5"]
    assert {hasty_move(position, 0.0, 1.0, rng) for _ in range(100)} == set(position.legal())
    quiet = ultimate("", "g1 h1", boards="OO.......", forced=4)
    assert {hasty_move(quiet, 0.0, 0.0, rng) for _ in range(100)} == set(holding_cells(quiet)) < set(quiet.legal())


def test_in_ultimate_a_hasty_move_is_made_where_none_holds() -> None:
    """O completes board 2 on i1 or g3, and X sends O to board 2 or to a decided board."""
    lost = ultimate("", "g1 h1 g2", boards="OO.XXOXOX", forced=2)
    assert holding_cells(lost) == ()
    assert hasty_move(lost, 0.0, 0.0, random.Random(2)) in lost.legal()


def test_in_ultimate_the_holding_cells_are_those_of_the_rules() -> None:
    """In games in which neither side completes a large line, with a small board to play in and with all to choose from."""
    rng = random.Random(7)
    kinds = {True: 0, False: 0}
    while min(kinds.values()) < 5:
        game = new_game(VARIANTS["ultimate"])
        while game.outcome is None:
            replies = {cell: game.play(cell) for cell in game.legal()}
            if game.ply > 40 and all(after.outcome is None for after in replies.values()):
                holding = [cell for cell, after in replies.items() if not any(wins(after, c) for c in after.legal())]
                assert list(holding_cells(game.position)) == holding
                kinds[game.position.forced is None] += len(holding) < len(replies)
            game = game.play(rng.choice(game.legal()))


def wins(game: Game, cell: int) -> bool:
    outcome = game.play(cell).outcome
    return outcome is not None and outcome.winner is not None


def test_a_near_move_is_next_to_a_mark_except_on_the_smallest_boards() -> None:
    rng = random.Random(1)
    classic = replay_names(VARIANTS["classic"], ["a1"]).position
    assert {near_move(classic, classic.legal(), 1, rng) for _ in range(300)} == set(classic.legal())
    small = replay_names(VARIANTS["5x5"], ["c3"]).position
    choices = {near_move(small, small.legal(), 1, rng) for _ in range(300)}
    assert names(small.variant, tuple(sorted(choices))) == ["b2", "c2", "d2", "b3", "d3", "b4", "c4", "d4"]
    large = replay_names(VARIANTS["gomoku"], ["h8"]).position
    assert len({near_move(large, large.legal(), 2, rng) for _ in range(600)}) == 24  # two steps away
    wide = replay_names(Variant("wide", "", "", (27, 4), 4), ["a1"]).position
    assert {near_move(wide, wide.legal(), 1, rng) for _ in range(100)} == {1, 27, 28}
    empty = new_game(VARIANTS["gomoku"]).position
    assert len({near_move(empty, empty.legal(), 1, rng) for _ in range(300)}) > 100
    assert near_move(small, (0, 24), 1, rng) in (0, 24)  # no cell of these is near


def test_a_hasty_move_in_misere_forgets_to_avoid_its_line() -> None:
    """X has a1 and b1, so c1 loses. O has c3 and a2: no line of O needs one more mark."""
    game = replay_names(VARIANTS["misere"], "a1 c3 b1 a2".split())
    rng = random.Random(4)
    assert not {hasty_move(game.position, 0.0, 0.0, rng) for _ in range(200)} & {2}
    assert {hasty_move(game.position, 1.0, 1.0, rng) for _ in range(200)} == set(game.legal())


# -- moves that need no search ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "moves", "cells"),
    [
        ("classic", "a1 b2 c3 a3", {"c1"}),
        ("classic", "a1 b2 c3", set()),  # X threatens nothing that O has not blocked
        ("classic", "a1 a2 b1 b2", set()),  # its own line comes first
        ("classic", "b2 b1 a1 c3 c1", {"a3"}),
        ("four-in-a-row", "d6 a6 d5 b6 d4", {"d3"}),
        ("four-in-a-row", "b6 a6 c6 a5 d6", {"e6"}),
        ("misere", "a1 b2 b1", set()),
        ("vanishing", "a1 b2 b1", set()),
    ],
)
def test_the_cells_to_choose_from(key: str, moves: str, cells: set[str]) -> None:
    position = replay_names(VARIANTS[key], moves.split()).position
    assert set(names(position.variant, forced_cells(position))) == cells
