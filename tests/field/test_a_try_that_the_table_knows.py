"""A wrong answer to a puzzle was answered "unknown", though the game is solved: a search had no time."""

from __future__ import annotations

import pytest

from noughts.engine.solvable import is_exact
from noughts.puzzles.collection import records
from noughts.rules.variant import VARIANTS


@pytest.mark.parametrize("key", [variant.key for variant in VARIANTS.values() if is_exact(variant)])
def test_no_wrong_try_of_a_solved_game_is_unknown(key: str) -> None:
    assert [record.id for record in records(key).values() if any("unknown" in text for text in record.mistakes)] == []
