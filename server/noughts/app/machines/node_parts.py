"""What every wing of a node is made from."""

from __future__ import annotations

import random
from typing import NamedTuple

from noughts.app.delivery.hub import Hub
from noughts.app.players.bans import Bans
from noughts.app.players.guests import Guests
from noughts.app.players.identity import new_id
from noughts.app.players.names import NameLookup
from noughts.app.push.post_office import PostOffice
from noughts.app.push.webhook import Webhook
from noughts.app.runtime.backups import Backups
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.config import Config
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.limits import Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.node_state import NodeState
from noughts.app.runtime.tasks import Tasks
from noughts.store.backend import Backend
from noughts.store.kinds import TOURNAMENT


class NodeParts(NamedTuple):
    """The parts of one node that know no kind of machine."""

    config: Config
    backend: Backend
    state: NodeState
    rng: random.Random
    hub: Hub
    tasks: Tasks
    limits: Limits
    metrics: Metrics
    names: NameLookup
    bans: Bans
    guests: Guests
    post_office: PostOffice
    backups: Backups

    def webhook(self) -> Webhook | None:
        """Return the webhook of the operator; None without one."""
        config, office = self.config, self.post_office
        if not config.webhook:
            return None
        return Webhook(
            config.webhook,
            config.webhook_secret,
            office.posters[True],
            office.webhook_queue,
            self.state.clock.now_ms,
            new_id,
            self.metrics.webhook,
        )


def node_parts(config: Config, backend: Backend, clock: ServerClock, rng: random.Random) -> NodeParts:
    """Make the parts of a node."""
    store, tasks, bans = backend.store, Tasks(), Bans(backend.store, backend.relay)
    return NodeParts(
        config,
        backend,
        NodeState(clock, DowntimeLog(shared=store.shared)),
        rng,
        Hub(),
        tasks,
        Limits(backend.coordination, off=not config.limits),
        Metrics(),
        NameLookup(store, store.machines(TOURNAMENT)),
        bans,
        Guests(
            store,
            backend.relay,
            clock,
            rng,
            free_names=config.free_names,
            days=config.guest_days,
            banned=bans.holds,
        ),
        PostOffice(store, tasks, rng),
        Backups(config, backend.coordination, clock),
    )
