"""The keeper of a room is the same for every node that computes it."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from noughts.app.rooms.keeper import keeper

NODES = ("one", "two", "three")


def test_the_order_of_the_nodes_does_not_matter() -> None:
    assert len({keeper("room", nodes) for nodes in permutations(NODES)}) == 1


def test_a_single_node_keeps_every_room() -> None:
    assert keeper("room", ["one"]) == "one"


def test_rooms_are_spread_evenly() -> None:
    counts = Counter(keeper(f"room {number}", NODES) for number in range(3_000))
    assert min(counts.values()) > 900


def test_the_end_of_a_node_moves_only_its_own_rooms() -> None:
    for number in range(200):
        before = keeper(f"room {number}", NODES)
        after = keeper(f"room {number}", NODES[:2])
        assert after == before or before == "three"


def test_no_node_keeps_no_room() -> None:
    with pytest.raises(ValueError, match=r"."):
        keeper("room", [])
