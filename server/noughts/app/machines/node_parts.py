"""What every wing of a node is made from."""

from __future__ import annotations

import random
from typing import NamedTuple

from noughts.app.delivery.hub import Hub
from noughts.app.players.guests import Guests
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.store.backend import Backend


class NodeParts(NamedTuple):
    """The parts of one node that know no kind of machine."""

    config: Config
    backend: Backend
    state: NodeState
    hub: Hub
    tasks: Tasks
    limits: Limits
    metrics: Metrics
    guests: Guests
    rng: random.Random
