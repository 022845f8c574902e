"""The heartbeat: this node tells the store that it is up, and learns the time, the downtime and the living nodes."""

from __future__ import annotations

from typing import Final

import structlog

from noughts import __version__
from noughts.app.delivery.hub import Hub
from noughts.app.machines.registry import AnyRegistry
from noughts.app.runtime.clock import StoreClock
from noughts.app.runtime.metrics import NodeMetrics
from noughts.app.runtime.node_state import NodeState
from noughts.store.contract import DamagedError, Guarantee, NodeStatus, Store, StoreUnavailableError
from noughts.store.presence import PresenceMirror

LATE_S: Final = 2.0
"""A node of a shared store that has not reached it for this long is not ready."""
CUT_OFF_S: Final = 10.0
"""A node that has not reached the store for this long sends its clients to other nodes, which may reach it."""

BEHIND_MS: Final = 1_000
"""A machine whose clock is further behind the newest stored time is worth a line in the log."""

log = structlog.get_logger()


class Heartbeat:
    """Sends beats, and knows what the store answered to the last one."""

    def __init__(
        self,
        store: Store,
        node: NodeState,
        mirror: PresenceMirror,
        registry: AnyRegistry,
        hub: Hub,
        name: str,
    ) -> None:
        self.shared = store.shared
        """Whether other nodes may use the store."""
        self.nodes: tuple[NodeStatus, ...] = ()
        """The living nodes, as of the last beat."""
        self.beats = 0
        self.round_trip_ms = 0.0
        self._store = store
        self._node = node
        self._mirror = mirror
        self._registry = registry
        self._hub = hub
        self._name = name
        self._players = 0
        self._started_ms: int | None = None
        self._began_s = node.clock.now_s()
        self._beat_s: float | None = None
        self._reached_s: float | None = None
        """When the store last answered at all."""
        self._incapable = 0
        self._reason = ""
        self._logged: Guarantee | None = None

    async def beat(self) -> None:
        """Send one beat. Raise :class:`~noughts.store.contract.StoreUnavailableError`.

        If the only node of a store fails to send it, an outage begins.
        """
        clock, downtime = self._node.clock, self._node.downtime
        sent_s, sent_ms = clock.now_s(), clock.now_ms()
        try:
            pulse = await self._store.beat(self.status(), sent_ms, self._mirror.players())
        except StoreUnavailableError as error:
            self._reason = str(error)
            incapable = self._store.stats.incapable
            if incapable != self._incapable:
                self._incapable, self._reached_s = incapable, clock.now_s()
            # An outage that no command meets is logged and compensated too. Damage concerns one request only.
            if self.beats and not self.shared and not isinstance(error, DamagedError):
                downtime.begin(sent_ms, str(error))
            raise
        received_s = clock.now_s()
        if (now_ms := clock.now_ms()) > downtime.late_ms:
            downtime.tick(now_ms)  # a standstill until now must be noted before the clock is set
        if isinstance(clock, StoreClock):
            clock.measured(pulse.now_ms, sent_s, received_s)
        elif not self.beats:
            behind_ms = clock.not_before(pulse.now_ms)
            if behind_ms > BEHIND_MS:
                log.warning(
                    "the clock of this machine is behind: time goes on from the store's", seconds=behind_ms / 1000
                )
        downtime.clock_set(clock.now_ms())
        if self.shared or not self.beats:
            downtime.take(pulse.downtimes)
        if self._started_ms is None:
            self._started_ms = clock.now_ms()
        self.nodes = pulse.nodes
        self._players = pulse.players
        self.round_trip_ms = (received_s - sent_s) * 1000
        self.beats += 1
        self._beat_s = self._reached_s = received_s
        if self.shared and self._store.guarantee() != self._logged:
            self._log_guarantee()

    def _log_guarantee(self) -> None:
        """Log what the store guarantees: after the first beat, and after a beat to a server with other settings."""
        self._logged = guarantee = self._store.guarantee()
        log.info("the store is connected", guarantee=guarantee.text)
        if guarantee.weakness is not None:
            log.warning(guarantee.weakness)

    def metrics(self) -> NodeMetrics:
        """Return the numbers that the metrics show of the store and the nodes."""
        status = self.status()
        downtime = self._node.downtime
        downtime_ms = sum([span.until_ms - span.from_ms for span in downtime.spans])
        return NodeMetrics(
            self._store.guarantee(),
            self._store.stats,
            self.beats,
            self.silent_s,
            len(self.nodes),
            status.clock_offset_ms,
            downtime_ms,
            self._registry.read_again_count,
            self.player_count(),
            downtime.standstills,
            downtime.standstill_s,
        )

    def status(self) -> NodeStatus:
        """Return what this node tells the others about itself."""
        clock = self._node.clock
        ahead_ms = clock.machine_ahead_ms if isinstance(clock, StoreClock) else 0
        return NodeStatus(
            self._mirror.node,
            self._name,
            __version__,
            clock.now_ms() if self._started_ms is None else self._started_ms,
            len(self._hub),
            len(self._registry),
            len(self._mirror.players()),
            round(self.round_trip_ms, 3),
            ahead_ms,
            self._store.guarantee().text,
        )

    @property
    def now_ms(self) -> int:
        """The server's time."""
        return self._node.clock.now_ms()

    @property
    def hosted(self) -> int:
        """The number of rooms that this node holds."""
        return len(self._registry)

    @property
    def silent_s(self) -> float:
        """The seconds since the store last answered a beat."""
        return self._node.clock.now_s() - (self._began_s if self._beat_s is None else self._beat_s)

    def loss_reason(self) -> str | None:
        """Return why a node of a shared store is not ready, None if it is."""
        if self._beat_s is None:
            return "the store has not answered yet"
        silent_s = self.silent_s
        if silent_s <= LATE_S:
            return None
        return f"the store has not answered for {silent_s:.0f} s" + (f": {self._reason}" if self._reason else "")

    def note_outage(self) -> None:
        """Note that the store did not answer a client, unless this node is the only one, which measures outages itself."""
        if self.shared:
            self._node.downtime.begin(self._node.clock.now_ms())

    @property
    def outage_may_pass(self) -> bool:
        """Whether this is one of several nodes and counts as ready, so that requests may wait for the store."""
        return self.shared and self.loss_reason() is None

    @property
    def cut_off(self) -> bool:
        """Whether clients should go to another node: this one has not reached the store for long, and there are others.

        Whether the others reach it is not known here. But a store that answers why it serves no node serves none of the
        others either. Then clients stay where they see their rooms.
        """
        if not self.shared or len(self.nodes) < 2 or self._reached_s is None:
            return False
        return self._node.clock.now_s() - self._reached_s > CUT_OFF_S

    def player_count(self) -> int:
        """Return how many players are connected to rooms of any node, as of the last beat of a shared store."""
        return self._players if self.shared else len(self._mirror.players())
