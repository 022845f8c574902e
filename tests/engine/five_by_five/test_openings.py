"""The keys of the book of 5x5."""

from __future__ import annotations

from noughts.engine.five_by_five.openings import opening_key


def test_symmetric_positions_have_the_same_key_and_others_do_not() -> None:
    assert opening_key(1 << 0, 1 << 1) == opening_key(1 << 4, 1 << 3) == opening_key(1 << 24, 1 << 19)
    assert opening_key(1 << 0, 1 << 1) != opening_key(1 << 1, 1 << 0)
    assert opening_key(0, 0) == 0
