"""Whose turn a post takes."""

from __future__ import annotations

import random
from typing import cast

from noughts.app.push.post_office import PostOffice
from noughts.app.runtime.tasks import Tasks
from noughts.store.contract import PushStore


def test_players_of_a_network_take_one_turn() -> None:
    """A player who subscribed before the node started takes a turn alone."""
    office = PostOffice(cast(PushStore, None), Tasks(), random.Random(1))
    for player, address in (("p_1", "2001:db8:0:1::1"), ("p_2", "2001:db8:0:ff00::1"), ("p_3", "203.0.113.7")):
        office.note_network(player, address)
    assert office.turn_of("p_1") == office.turn_of("p_2")
    assert len({office.turn_of(player) for player in ("p_1", "p_3", "p_4")}) == 3
