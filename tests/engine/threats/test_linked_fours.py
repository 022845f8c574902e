"""The quick look for wins by fours: each win that it finds is one, and it finds nearly all."""

from __future__ import annotations

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.threats.fours import FourSearch, board_of, completions, open_lines
from noughts.engine.threats.linked_fours import LinkedFours
from noughts.engine.threats.rows import rows_of
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS
from tests.support.budgets import endless, no_time
from tests.support.threats import cases, marks_of, scattered

GOMOKU = VARIANTS["gomoku"]
BOARD, ROWS = board_of(GOMOKU), rows_of(GOMOKU)


def look(
    search: LinkedFours, position: Position, limit: int = 300, *, block: int | None = None
) -> list[tuple[int, int]] | None:
    own, other = marks_of(position)
    mine, theirs = open_lines(BOARD, own, other), open_lines(BOARD, other, own)
    pairs, triples = list(dict.fromkeys(mine.pairs)), list(dict.fromkeys(mine.triples))
    return search.find(own | other << BOARD.size, pairs, triples, theirs.fours if block is None else block, limit)


def check(position: Position, win: list[tuple[int, int]]) -> None:
    """Play the win: every move makes a four with the one stated answer, and the last one two at once."""
    own, other = marks_of(position)
    blocks = open_lines(BOARD, other, own).fours
    for number, (move, reply) in enumerate(win):
        assert not (own | other) & move
        assert blocks in (0, move)
        own |= move
        assert completions(BOARD, move, own, other) == reply
        if number == len(win) - 1:
            assert reply & (reply - 1)
            return
        assert not reply & (reply - 1)
        other |= reply
        blocks = completions(BOARD, reply, other, own)


def test_its_wins_are_wins_and_it_finds_nearly_all() -> None:
    search = LinkedFours(ROWS, endless())
    count = 0
    committed = cases("win", "gomoku")
    for case in committed:
        win = look(search, case.position)
        if win is not None:
            check(case.position, win)
            count += 1
    assert count >= 0.9 * len(committed)


def test_it_finds_no_win_where_there_is_none() -> None:
    search = LinkedFours(ROWS, endless())
    wins = 0
    for seed in range(60):
        position = scattered(seed, 40)
        own, other = marks_of(position)
        mine, theirs = open_lines(BOARD, own, other), open_lines(BOARD, other, own)
        if mine.fours or theirs.fours & (theirs.fours - 1):
            continue
        win = look(search, position)
        if win is not None:
            check(position, win)
            assert FourSearch(BOARD, endless()).solve(own, other, mine.pairs, theirs.fours) is not None
            wins += 1
    assert 0 < wins < 60


def test_a_cell_that_must_be_filled_and_makes_no_four_ends_the_look() -> None:
    case = cases("win", "gomoku")[0]
    own, other = marks_of(case.position)
    corner = next(1 << cell for cell in (0, 14, 210, 224) if not (own | other) >> cell & 1)
    assert look(LinkedFours(ROWS, endless()), case.position) is not None
    assert look(LinkedFours(ROWS, endless()), case.position, block=corner) is None


def test_failures_are_kept_until_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    search = LinkedFours(ROWS, endless())
    position = next(
        p for p in (scattered(seed, 40) for seed in range(99)) if look(search, p) is None and search.nodes > 9
    )
    first = LinkedFours(ROWS, endless())
    assert look(first, position) is None
    nodes = first.nodes
    assert look(first, position) is None
    assert first.nodes - nodes <= nodes
    monkeypatch.setattr("noughts.engine.threats.linked_fours.FAILURES_LIMIT", 0)
    before = first.nodes
    assert look(first, position) is None
    assert first.nodes - before == nodes


def test_nodes_and_the_budget_stop_a_look() -> None:
    deep = next(case.position for case in cases("win", "gomoku") if case.plies == 11)
    assert look(LinkedFours(ROWS, endless()), deep, 1) is None
    search = LinkedFours(ROWS, no_time())
    search.nodes = 31
    with pytest.raises(OutOfTimeError):
        look(search, deep)
