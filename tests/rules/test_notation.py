"""Cells as text."""

from __future__ import annotations

import pytest

from noughts.errors import Rejection
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_each_name_leads_back_to_its_cell(variant: Variant) -> None:
    names = cell_names(variant.shape)
    assert len(set(names)) == variant.cells
    assert [variant.index_of[name] for name in names] == list(range(variant.cells))


@pytest.mark.parametrize("name", ["", "b", "2", "2b", "b2 ", " b2", "b2.", "b2.1.1", "b-1", "é2", "b٢", "b2\n", "bb2"])
def test_text_that_names_no_cell_of_any_board_is_malformed(name: str) -> None:
    with pytest.raises(Rejection) as raised:
        VARIANTS["classic"].index_of[name]
    assert raised.value.code == "bad_message"


@pytest.mark.parametrize(
    "address", "classic d1,classic a4,classic a1.1,qubic a1,qubic a1.5,classic A1,classic a01,gomoku a0".split(",")
)
def test_a_cell_of_some_other_board_is_illegal(address: str) -> None:
    key, name = address.split()
    with pytest.raises(Rejection) as raised:
        VARIANTS[key].index_of[name]
    assert raised.value.code == "illegal_move"


def test_the_message_repeats_only_the_start_of_a_long_name() -> None:
    with pytest.raises(Rejection) as raised:
        VARIANTS["classic"].index_of["a" + "9" * 1_000]
    assert raised.value.message == "There is no cell a99999999999 on this board."
