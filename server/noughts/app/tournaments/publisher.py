"""Publication of a tournament's changes on this node: when its messages, its boards and its rooms are next attended to."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from noughts.app.delivery.hub import Hub
from noughts.app.machines.deadlines import Deadlines
from noughts.app.runtime.node_state import NodeState
from noughts.tournament.orders import orders
from noughts.tournament.tournament import Tournament

OTHERS_MS: Final = 1_500
"""How much later than the node that made a change another node attends to the rooms that it needs."""
MAX_STEPS: Final = 1_000


class TournamentPublisher:
    """Three kinds of deadlines, each with a task of its own above.

    ``messages`` says when a tournament's clients are next sent its message, ``boards`` when they are sent the leaders'
    boards, ``chores`` when its rooms are next attended to.
    """

    def __init__(self, hub: Hub, node: NodeState) -> None:
        self.hub = hub
        self.messages = Deadlines(node.clock)
        self.boards = Deadlines(node.clock)
        self.chores = Deadlines(node.clock)
        self._node = node
        self._own_steps: OrderedDict[str, int] = OrderedDict()

    def note_own_step(self, tournament: Tournament) -> None:
        """Note that this node made a change, so that it is the first to attend to the rooms that the change needs."""
        self._own_steps[tournament.id] = tournament.version
        self._own_steps.move_to_end(tournament.id)
        if len(self._own_steps) > MAX_STEPS:
            self._own_steps.popitem(last=False)

    def rooms_wanted(self, tournament: Tournament) -> None:
        """Attend to the rooms of a tournament if it has orders for them."""
        if orders(tournament):
            own = self._own_steps.get(tournament.id) == tournament.version
            self.chores.set_sooner(tournament.id, self._node.clock.now_ms() + (0 if own else OTHERS_MS))

    def check_rooms(self, tournament: str) -> None:
        """Attend soon to the rooms of a tournament that this node begins to hold: it does not know what they need."""
        self.chores.set_sooner(tournament, self._node.clock.now_ms() + OTHERS_MS)

    def send_messages(self, tournament: str, at_ms: int) -> None:
        """Send a tournament's message at a time, or earlier if that was planned."""
        self.messages.set_sooner(tournament, at_ms)

    def send_boards(self, tournament: str, at_ms: int) -> None:
        """Send the leaders' boards at a time, or earlier if that was planned."""
        self.boards.set_sooner(tournament, at_ms)

    def forget(self, tournament: str) -> None:
        """Attend to a tournament no longer."""
        self.messages.set(tournament, None)
        self.boards.set(tournament, None)
        self.chores.set(tournament, None)
