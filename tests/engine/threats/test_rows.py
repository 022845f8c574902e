"""The rows through a cell give the same groups as a walk through all lines of the board."""

from __future__ import annotations

import pytest

from noughts.engine.threats.fours import bits, board_of, open_lines
from noughts.engine.threats.rows import add, rows_of, rows_through
from noughts.rules.variant import VARIANTS, Variant
from tests.support.threats import marks_of, scattered

GOMOKU = VARIANTS["gomoku"]
LONG_LINE = Variant("10x9", "Ten by nine", "Six in a line wins.", (10, 9), 6)


def test_add_appends_only_groups_that_are_not_there() -> None:
    groups = [3, 5]
    add(groups, (5, 6, 6))
    assert groups == [3, 5, 6]


@pytest.mark.parametrize("variant", [GOMOKU, VARIANTS["qubic"], LONG_LINE], ids=lambda variant: variant.key)
def test_each_row_has_the_lines_of_one_direction(variant: Variant) -> None:
    board, rows = board_of(variant), rows_of(variant)
    for bit in bits(board.full):
        grouped = rows_through(board, bit)
        assert sorted(line for row in grouped for line in row) == sorted(board.through[bit])
        near = 0
        for row in grouped:
            near |= sum(1 << cell for cell in range(board.size) if any(line >> cell & 1 for line in row))
            for other in grouped:
                shared = max((line & another).bit_count() for line in row for another in other)
                assert (shared > 1) == (row is other)
        assert rows.near[bit] == near


def test_a_mark_makes_the_groups_of_its_open_lines() -> None:
    board, rows = board_of(GOMOKU), rows_of(GOMOKU)
    for seed in range(20):
        own, other = marks_of(scattered(seed, 30))
        state = own | other << board.size
        assert rows.marks(state) == (own, other)
        for marks, against, find in ((own, other, rows.made), (other, own, rows.answered)):
            whole = open_lines(board, marks, against)
            for bit in bits(marks)[:6]:
                results = find(state, bit)
                assert results == find(state, bit)  # from the kept results
                through = [line & ~marks for line in board.through[bit] if not line & against]
                assert {pair for row in results for pair in row.pairs} == {r for r in through if r.bit_count() == 2}
                assert {pair for row in results for pair in row.pairs} <= set(whole.pairs)
                assert {three for row in results for three in row.triples} == {r for r in through if r.bit_count() == 3}
                completing = 0
                for row in results:
                    completing |= row.fours
                assert completing & ~whole.fours == 0


def test_the_kept_results_are_dropped_at_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.engine.threats.rows.KEPT_LIMIT", 3)
    rows = rows_of(GOMOKU)
    own, other = marks_of(scattered(1, 30))
    state = own | other << rows.size
    for bit in bits(own):
        before = rows.made(state, bit)
        rows.forget_if_full()
        assert rows.kept <= 3
        assert rows.made(state, bit) == before
