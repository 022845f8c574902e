"""A variant is data, and what follows from it is computed once."""

from __future__ import annotations

import pickle

import pytest

from noughts.errors import Rejection
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant, variant_named

CUBE = Variant("small-cube", "Small cube", "Three in a line wins.", (3, 3, 3), 3, gravity=True)
EACH = pytest.mark.parametrize("variant", [*VARIANTS.values(), CUBE], ids=lambda variant: variant.key)


def test_the_nine_games_and_their_keys() -> None:
    """Only vanishing lasts longer than its board."""
    assert {key: variant.ply_limit for key, variant in VARIANTS.items()} == {
        "classic": 9,
        "misere": 9,
        "vanishing": 200,
        "4x4": 16,
        "5x5": 25,
        "four-in-a-row": 42,
        "qubic": 64,
        "gomoku": 225,
        "ultimate": 81,
    }
    for key, variant in VARIANTS.items():
        assert variant.key == key
        assert variant.rules.endswith(".")


# -- what follows from the definition ---------------------------------------------------------------------------------


@EACH
def test_a_variant_knows_its_cells(variant: Variant) -> None:
    assert variant.columns * variant.rows * variant.layers == variant.cells
    assert (variant.columns, variant.rows, variant.layers) == (*variant.shape, 1)[:3]
    assert variant.every_cell == tuple(range(variant.cells))
    assert variant.full == sum(1 << cell for cell in variant.every_cell)
    assert variant.names == cell_names(variant.shape)
    assert [variant.index_of[name] for name in variant.names] == list(variant.every_cell)


# -- equality ---------------------------------------------------------------------------------------------------------


def test_any_other_definition_is_another_variant() -> None:
    classic = VARIANTS["classic"]
    others = [
        Variant("classic", classic.name, classic.rules, (3, 3), 3, misere=True),
        Variant("classic", classic.name, classic.rules, (3, 4), 3),
        Variant("classic", classic.name, "Other rules.", (3, 3), 3),
        VARIANTS["misere"],
    ]
    assert classic not in others
    assert classic != classic.definition


def test_a_variant_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        VARIANTS["classic"].line = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        VARIANTS["classic"] = VARIANTS["4x4"]  # type: ignore[index]


# -- pickles: how a variant gets to a process that searches -----------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_a_pickle_leads_back_to_the_entry_of_the_table(variant: Variant) -> None:
    assert pickle.loads(pickle.dumps(variant)) is variant


@pytest.mark.parametrize(
    "variant",
    [CUBE, Variant("classic", "Tic-tac-toe", "Four in a line wins.", (4, 4), 4)],
    ids=["another key", "another definition"],
)
def test_a_variant_outside_the_table_survives_a_pickle(variant: Variant) -> None:
    copy = pickle.loads(pickle.dumps(variant))
    assert copy == variant
    assert copy.lines_through == variant.lines_through


# -- by key -----------------------------------------------------------------------------------------------------------


def test_an_unknown_key_is_rejected_with_those_that_exist() -> None:
    with pytest.raises(Rejection) as raised:
        variant_named("chess")
    assert raised.value.code == "bad_message"
    assert all(key in raised.value.message for key in VARIANTS)
