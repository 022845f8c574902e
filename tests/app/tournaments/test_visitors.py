"""What a node plans for a tournament that it begins to hold."""

from __future__ import annotations

import random
from typing import cast

import pytest
from msgspec.structs import replace

from noughts.app.delivery.hub import Hub
from noughts.app.machines.machine import Loaded
from noughts.app.players.names import NameLookup
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.node_state import NodeState
from noughts.app.tournaments.machine import TournamentMachine
from noughts.app.tournaments.publisher import OTHERS_MS, TournamentPublisher
from noughts.room.idempotency import IdempotencyKeys
from tests.support.manual_clock import START_MS, ManualClock
from tests.support.tournament_play import POLICY, full_tournament, new_tournament


@pytest.mark.parametrize("running", [True, False])
def test_rooms_are_compared_once_a_node_holds_their_tournament(running: bool) -> None:
    """The node that held it may have died before it counted a game that had ended."""
    node = NodeState(ManualClock(), DowntimeLog(shared=True))
    publisher = TournamentPublisher(Hub(), node)
    machine = TournamentMachine(node, POLICY, publisher, cast(NameLookup, None), random.Random(1), "n1")
    value = full_tournament() if running else replace(new_tournament(), state="over")
    machine.visitors(Loaded(value, IdempotencyKeys.decoded(b"")))
    assert publisher.chores.at_ms(value.id) == (START_MS + OTHERS_MS if running else None)
