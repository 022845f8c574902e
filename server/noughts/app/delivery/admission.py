"""The limits on TCP connections: a number for each network, and a number in all."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

import structlog

from noughts.app.runtime.addresses import Network, enclosing_networks, plain, within
from noughts.app.runtime.limits import MAX_CONNECTIONS_OF_ADDRESS, networks_of
from noughts.app.runtime.metrics import Metrics

log = structlog.get_logger()


class Guarded(Protocol):
    """A connection whose deadlines the admission checks."""

    @property
    def address(self) -> str: ...

    def is_overdue(self, now_s: float) -> bool:
        """Return whether the client let a deadline pass."""
        ...

    def close_if_idle(self, now_s: float) -> None:
        """Close a connection on which no request has come for long."""
        ...

    def abort(self) -> None:
        """Drop the connection at once."""
        ...


class Admission:
    """The connections of this node, counted by network.

    A network may use at most half of the capacity. When all of it is used, a newcomer displaces a connection of the network
    with the most, unless that is the newcomer's own. Only connections that are not WebSockets are displaced.
    """

    def __init__(
        self, capacity: int, trusted: tuple[Network, ...], metrics: Metrics, *, unlimited: bool = False
    ) -> None:
        self._capacity = capacity
        self._of_address = capacity if unlimited else max(1, min(MAX_CONNECTIONS_OF_ADDRESS, capacity // 2))
        self._trusted = trusted
        self._metrics = metrics
        self._total = 0
        self._of_network: Counter[str] = Counter()
        self._watched: dict[Guarded, None] = {}
        """Connections under deadlines, in the order of their arrival: those that are not WebSockets."""
        self.outlived_proxy = False
        """Whether this server has closed an idle connection that a trusted proxy kept."""

    def __len__(self) -> int:
        return self._total

    def admit(self, connection: Guarded) -> bool:
        """Count a new connection and watch its deadlines. Return False if it must be rejected."""
        networks = enclosing_networks(plain(connection.address))
        if not self.is_proxy(connection.address):
            for network, wider in networks_of(plain(connection.address)):
                if self._of_network[network] >= self._of_address * wider:
                    self._reject(network, "too many connections of one network")
                    return False
        if self._total >= self._capacity and not self._displace_for(networks[0]):
            self._reject(networks[0], "no descriptor is free")
            return False
        self._total += 1
        for network in networks:
            self._of_network[network] += 1
        self._watched[connection] = None
        return True

    def is_proxy(self, address: str) -> bool:
        """Return whether an address is that of a trusted proxy."""
        return within(plain(address), self._trusted)

    def note_outlived_proxy(self, address: str, kept_s: float) -> None:
        """Note that this server closes an idle connection of a proxy, and log the first one.

        The proxy may send a request at the same moment. That request fails.
        """
        if not self.outlived_proxy:
            self.outlived_proxy = True
            log.warning(
                "a proxy keeps idle connections for longer than this server, so a request may fail: shorten the proxy's"
                " keep-alive time",
                proxy=address,
                server_s=kept_s,
            )

    def release(self, address: str) -> None:
        """Take a connection of an address, which has ended, out of the count."""
        self._total -= 1
        for network in enclosing_networks(plain(address)):
            self._of_network[network] -= 1
            if not self._of_network[network]:
                del self._of_network[network]

    def unwatch(self, connection: Guarded) -> None:
        """Stop checking the deadlines of a connection, which is a WebSocket now or has ended."""
        self._watched.pop(connection, None)

    def drop_overdue(self, now_s: float) -> None:
        """Drop every watched connection whose client let a deadline pass, and close those without a request for long."""
        for connection in list(self._watched):
            if connection.is_overdue(now_s):
                self._metrics.connections_overdue += 1
                connection.abort()
            else:
                connection.close_if_idle(now_s)

    def _displace_for(self, newcomer: str) -> bool:
        """Drop a connection of the network with the most. Return False if that is no more than the newcomer's has."""
        counts = Counter(enclosing_networks(plain(connection.address))[0] for connection in self._watched)
        heaviest = max(counts, key=lambda network: self._of_network[network], default=newcomer)
        if self._of_network[heaviest] <= self._of_network[newcomer] + 1:
            return False
        oldest = next(
            connection for connection in self._watched if enclosing_networks(plain(connection.address))[0] == heaviest
        )
        self._reject(heaviest, "no descriptor is free")
        del self._watched[oldest]
        oldest.abort()
        return True

    def _reject(self, network: str, reason: str) -> None:
        """Count and log a rejection."""
        self._metrics.connections_rejected += 1
        log.warning("a connection is rejected", reason=reason, network=network, open=self._total)
