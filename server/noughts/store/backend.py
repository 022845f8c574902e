"""The store and the three contracts for several nodes, as one value."""

from __future__ import annotations

from typing import NamedTuple

from noughts.store.contract import Store
from noughts.store.coordination import Coordination, LocalCoordination
from noughts.store.presence import LocalCluster, LocalPresence, PresenceLeases
from noughts.store.relay import LocalExchange, LocalRelay, Relay


class Backend(NamedTuple):
    """The store, and the three contracts for several nodes."""

    store: Store
    presence: PresenceLeases
    relay: Relay
    coordination: Coordination


def single_node(store: Store) -> Backend:
    """Return the backend of a server that is the only node of its store."""
    return Backend(store, LocalPresence(LocalCluster(), "node"), LocalRelay(LocalExchange()), LocalCoordination())
