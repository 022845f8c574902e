"""The store and the three contracts for several nodes, as one value."""

from __future__ import annotations

from typing import NamedTuple

from noughts.store.contract import Store
from noughts.store.coordination import Coordination, LocalCoordination
from noughts.store.presence import PresenceMirror
from noughts.store.relay import Relay, SingleNodeRelay


class Backend(NamedTuple):
    """The store, presence, the relay and coordination, as one node has them."""

    store: Store
    presence: PresenceMirror
    relay: Relay
    coordination: Coordination


def single_node(store: Store) -> Backend:
    """Return the backend of a server that is the only node of its store."""
    return Backend(store, PresenceMirror("node"), SingleNodeRelay(), LocalCoordination())
