"""Cells as text."""

from __future__ import annotations

import pytest

from noughts.errors import Rejection
from noughts.rules.notation import cell_index, cell_names
from noughts.rules.variant import VARIANTS, Variant


def test_names_run_along_columns_then_rows_then_layers() -> None:
    assert cell_names((3, 3)) == ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")
    assert cell_names((7, 6))[:8] == ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "a2")
    assert cell_names((4, 4, 4))[15:18] == ("d4.1", "a1.2", "b1.2")
    assert cell_names((15, 15))[-1] == "o15"


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_every_cell_is_found_again_by_its_name(variant: Variant) -> None:
    names = cell_names(variant.shape)
    assert len(set(names)) == variant.cells
    assert [cell_index(variant, name) for name in names] == list(range(variant.cells))


@pytest.mark.parametrize("name", ["", "b", "2", "2b", "b2 ", " b2", "b2.", "b2.1.1", "b-1", "é2", "b٢", "b2\n", "bb2"])
def test_what_names_no_cell_anywhere_is_nonsense(name: str) -> None:
    with pytest.raises(Rejection) as refused:
        cell_index(VARIANTS["classic"], name)
    assert refused.value.code == "bad_message"


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("classic", "d1"),
        ("classic", "a4"),
        ("classic", "a1.1"),
        ("qubic", "a1"),
        ("qubic", "a1.5"),
        ("classic", "A1"),
        ("classic", "a01"),
        ("gomoku", "a0"),
    ],
)
def test_a_cell_of_some_other_board_is_illegal(key: str, name: str) -> None:
    with pytest.raises(Rejection) as refused:
        cell_index(VARIANTS[key], name)
    assert refused.value.code == "illegal_move"
