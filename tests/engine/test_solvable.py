"""Which variants are solved from every position."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from noughts.engine.solvable import is_exact, is_played_perfectly
from noughts.rules.variant import VARIANTS, Variant


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_the_exact_variants(variant: Variant) -> None:
    """The tests of the kernels prove that these are solved from every position."""
    assert is_exact(variant) == (variant.key in {"classic", "misere", "vanishing", "4x4"})
    assert is_played_perfectly(variant) == (is_exact(variant) or variant.key == "5x5")


def test_vanishing_on_a_board_too_large_to_solve_is_not_exact() -> None:
    large = Variant("fading-5x5", "", "", (5, 5), 4, marks_kept=5)
    assert not is_exact(large)


def test_a_small_board_of_boards_is_not_exact() -> None:
    assert not is_exact(Variant("small-nested", "", "", (4, 4), 4, nested=True))


def test_levels_and_exactness_load_no_kernel() -> None:
    """The room needs the names of levels, and must not pay for the searches."""
    program = (
        "import json, sys, noughts.engine.levels, noughts.engine.solvable;"
        "print(json.dumps([name for name in sys.modules if name.startswith('noughts.engine.')]))"
    )
    modules = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert sorted(json.loads(modules)) == ["noughts.engine.levels", "noughts.engine.solvable", "noughts.engine.verdict"]
