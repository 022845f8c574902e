"""What a node plans for a tournament that it begins to hold."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest
from msgspec.structs import replace

from noughts.app.delivery.hub import Hub
from noughts.app.machines.actor import ActorParts
from noughts.app.machines.deadlines import Deadlines
from noughts.app.machines.kind import Loaded
from noughts.app.players.names import NameLookup
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.app.tournaments.kind import TournamentKind
from noughts.app.tournaments.on_node import OTHERS_MS, TournamentOnNode, TournamentSurroundings
from noughts.room.idempotency import IdempotencyKeys
from tests.support.manual_clock import START_MS, ManualClock
from tests.support.tournament_play import POLICY, full_tournament, new_tournament


@pytest.mark.parametrize("running", [True, False])
def test_rooms_are_compared_once_a_node_holds_their_tournament(running: bool) -> None:
    """The node that held it may have died before it counted a game that had ended."""
    node = NodeState(ManualClock(), DowntimeLog(shared=True))
    chores = Deadlines(node.clock)
    around = TournamentSurroundings(
        POLICY, Hub(), Deadlines(node.clock), Deadlines(node.clock), chores, random.Random(1), None, "n1"
    )
    value = full_tournament() if running else replace(new_tournament(), state="over")
    loaded = Loaded(value, IdempotencyKeys.decoded(b""))
    TournamentOnNode(
        around,
        ActorParts(
            TournamentKind(POLICY, cast(NameLookup, None)), cast(Any, None), Deadlines(node.clock), node, Tasks()
        ),
        loaded,
    )
    assert chores.at_ms.get(value.id) == (START_MS + OTHERS_MS if running else None)
