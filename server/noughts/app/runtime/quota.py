"""The rooms or tournaments that this node has made, by the network that asked for them.

They are counted in memory: a node that restarts, and the other nodes of a store, do not know them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.runtime.limits import networks_of


class _Network(NamedTuple):
    """A network that has made rooms. The wider networks of IPv6 may have several times as many as a single address.

    ``rooms`` has the size of each room.
    """

    wider: int
    rooms: dict[str, int]

    @property
    def load(self) -> float:
        """Its number of rooms, as a share of what a network of its width may have."""
        return len(self.rooms) / self.wider

    @property
    def size(self) -> float:
        """The size of its rooms, as a share of what a network of its width may have."""
        return sum(self.rooms.values()) / self.wider


class NetworkQuota:
    """Counts rooms by network, from their creation until they close.

    Their sizes are counted too, such as the matches of a tournament. ``most_size`` is the most of them for one address.
    """

    def __init__(self, *, most_of_address: int, most_size: float = math.inf) -> None:
        self._most_of_address = most_of_address
        self._most_size = most_size
        self._networks: dict[str, _Network] = {}
        self._of_room: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._of_room)

    def add(self, room: str, address: str) -> None:
        """Count a new room for all networks of an address."""
        self._of_room[room] = enclosing_networks(address)
        for name, wider in networks_of(address):
            self._networks.setdefault(name, _Network(wider, {})).rooms[room] = 0

    def note_size(self, room: str, size: int) -> None:
        """Note how large a room is now, if it is counted."""
        for name in self._of_room.get(room, ()):
            self._networks[name].rooms[room] = size

    def size_left(self, room: str, size: int) -> float:
        """Return by how much a room of this size may grow. One that is not counted may be as large as all of an address."""
        networks = [self._networks[name] for name in self._of_room.get(room, ())]
        sizes = [network.size for network in networks] or [size]
        return self._most_size - max(sizes)

    def remove(self, room: str) -> None:
        """Count a room no longer, if it is counted."""
        for name in self._of_room.pop(room, ()):
            rooms = self._networks[name].rooms
            del rooms[room]
            if not rooms:
                del self._networks[name]

    def ids_of(self, network: str) -> tuple[str, ...]:
        """Return the rooms of a network, the oldest first."""
        return tuple(self._networks[network].rooms) if network in self._networks else ()

    def load_of(self, ids: Collection[str], network: str) -> float:
        """Return how many of these a network has, as a share of what a network of its width may have."""
        kept = self._networks.get(network)
        return 0.0 if kept is None else len(kept.rooms.keys() & ids) / kept.wider

    @property
    def networks(self) -> tuple[str, ...]:
        """All networks of which something is counted."""
        return tuple(self._networks)

    def crowded(self, address: str) -> str | None:
        """Return a network of this address that has as many rooms as it may have, or too large ones; None without one."""
        for name in enclosing_networks(address):
            network = self._networks.get(name)
            if network and (network.load >= self._most_of_address or network.size >= self._most_size):
                return name
        return None

    def heavier_than(self, address: str) -> str | None:
        """Return the network with the most rooms for its width; None if no network has more than this address's own."""
        own = max(
            [self._networks[name].load for name in enclosing_networks(address) if name in self._networks], default=0.0
        )
        heaviest = max(self._networks, key=lambda name: self._networks[name].load, default=None)
        return None if heaviest is None or self._networks[heaviest].load <= own + 1 else heaviest
