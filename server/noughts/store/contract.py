"""The contracts of a store, split by what is kept: rooms, players, their subscriptions, bans, and the life of nodes.

What it keeps of machines is in ``machine_store.py``. The suite in ``tests/store`` runs against every implementation.

Durability: an answer other than :class:`Unavailable` survives a power cut. :class:`Unavailable`, and a raised
:class:`StoreUnavailableError`, mean *unknown*, never *undone*: read again before you go on. :class:`Failed`, and a raised
:class:`DamagedError`, mean that nothing was written and that the store serves other requests.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from noughts.room.downtime import Downtime
from noughts.store.machine_store import MachineStore

GAP_MS: Final = 1_500
"""When no node has sent a beat for longer than this, the time without one was downtime."""
SLOW_COMMIT_S: Final = 1.0
"""A transaction that takes longer than this stands still: nothing could be stored meanwhile."""
MAX_DOWNTIMES: Final = 1_000
"""The most spans of downtime kept. When there are more, the oldest is dropped: rooms unchanged since then lose its time."""


class StoreUnavailableError(Exception):
    """The store cannot be reached, or a write failed. It is not known whether the write took effect."""


class DamagedError(StoreUnavailableError):
    """The stored bytes that a request needs are damaged. Nothing was written, and no other request is concerned."""


class SchemaError(Exception):
    """This program cannot use the stored data. The message says why and what to do."""


class StoredPlayer(NamedTuple):
    """A guest: id, name, when it was last seen, and whether a program runs it."""

    id: str
    name: str
    seen_ms: int
    bot: bool = False


class StoredToken(NamedTuple):
    """The hash of a token, when the token was made, and when it was last noted as used; 0 if that is not known."""

    hash: bytes
    made_ms: int = 0
    seen_ms: int = 0


class PlayerStore(Protocol):
    """Guests, the hashes of their tokens, and resume codes. Coroutines may raise :class:`StoreUnavailableError`."""

    async def add_player(self, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> None: ...

    async def sign_on(self, key_hash: bytes, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> StoredPlayer:
        """Return the player of an identity that a proxy vouches for, with one more token.

        Without such a player, add ``player`` with the token, and return it. An identity is no token: it is only a key here.
        """
        ...

    async def identity_hash(self, player: str) -> bytes | None:
        """Return the hash of the identity of the proxy whose player this is; None for a guest."""
        ...

    async def player(self, player: str) -> StoredPlayer | None: ...

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        """Return the player of a token; None for an unknown one. ``seen_ms`` is the token's, if that is earlier."""
        ...

    async def tokens(self, player: str) -> Sequence[StoredToken]:
        """Return the tokens of a player, oldest first."""
        ...

    async def known_tokens(self, token_hashes: Sequence[bytes]) -> set[bytes]:
        """Return those of these tokens that exist."""
        ...

    async def delete_token(self, player: str, token_hash: bytes) -> None:
        """Delete one token of a player."""
        ...

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        """Return the names of those players that still exist."""
        ...

    async def rename(self, player: str, name: str) -> None: ...

    async def seen(self, player: str, now_ms: int, token_hash: bytes | None = None) -> None:
        """Note that a player was here, and used this token."""
        ...

    async def delete_player(self, player: str) -> None:
        """Delete a player, its tokens, its resume codes, its identity of the proxy and its subscriptions."""
        ...

    async def unseen(self, before_ms: int, limit: int) -> Sequence[str]:
        """Return players last seen before a time, at most ``limit``."""
        ...

    async def delete_unseen(self, before_ms: int, players: Sequence[str]) -> int:
        """Delete those of these players who were last seen before a time. Return how many."""
        ...

    async def add_token(self, player: str, token_hash: bytes, made_ms: int = 0) -> None: ...

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None:
        """Store a resume code. An earlier code of the player becomes void."""
        ...

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        """Use up a code that has not expired and return its player; None for any other code."""
        ...

    async def player_count(self) -> int: ...


MAX_SUBSCRIPTIONS: Final = 5
"""Subscriptions of one player. A further one replaces the oldest."""


class Subscription(NamedTuple):
    """Where one device of a player receives notices (RFC 8030, RFC 8291). An endpoint belongs to one player.

    ``p256dh`` and ``auth`` are the keys of the device in base64url. ``zone`` is the IANA name of its time zone, or empty.
    ``base`` is the server's own URL as the device knows it. ``failing_since_ms`` is the time of the first failure since the
    last delivery, 0 without one.
    """

    endpoint: str
    player: str
    p256dh: str
    auth: str
    zone: str
    base: str
    made_ms: int
    failing_since_ms: int = 0


class PushStore(Protocol):
    """Subscriptions to notices, and the secrets of the server. Coroutines may raise :class:`StoreUnavailableError`."""

    async def secret(self, name: str, candidate: bytes) -> bytes:
        """Return the secret with this name. Store ``candidate`` as the secret if there is none: all nodes get the same."""
        ...

    async def subscribe(self, subscription: Subscription) -> bool:
        """Store a subscription, in place of an earlier one with its endpoint. Return False for a player that is gone.

        Of a player's subscriptions only the newest :data:`MAX_SUBSCRIPTIONS` stay. Those of a deleted player are deleted.
        """
        ...

    async def unsubscribe(self, endpoint: str, player: str) -> None:
        """Delete a player's subscription with this endpoint, if there is one."""
        ...

    async def subscriptions(self, player: str) -> Sequence[Subscription]:
        """Return the subscriptions of a player, newest first."""
        ...

    async def note_failure(self, endpoint: str, since_ms: int) -> None:
        """Store since when deliveries to an endpoint fail; 0 after a delivery."""
        ...


class BanStore(Protocol):
    """Addresses that may not use the server. Coroutines may raise :class:`StoreUnavailableError`."""

    async def ban(self, address: str) -> None: ...

    async def unban(self, address: str) -> None: ...

    async def banned(self) -> Sequence[str]: ...


PassKind: TypeAlias = Literal["code", "session"]


class PassStore(Protocol):
    """Hashes of codes, which work once, and of sessions: they open the admin calls. No copy of a store has them."""

    async def add_pass(self, pass_hash: bytes, kind: PassKind, expires_ms: int, now_ms: int) -> None:
        """Store a code or a session until it expires, and delete those that have expired."""
        ...

    async def has_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        """Return whether this is a code or a session that has not expired."""
        ...

    async def take_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        """Delete a code or a session. Return whether there was one that had not expired."""
        ...


class Guarantee(NamedTuple):
    """What the store guarantees for an acknowledged change.

    ``weakness`` says in one sentence where that is less than what the file guarantees. It is None if it is not less.
    """

    text: str
    weakness: str | None = None


class NodeStatus(NamedTuple):
    """One node, as it reports itself with each beat.

    ``node`` is unique for each process, ``name`` is for people. ``round_trip_ms`` is that of the last beat.
    ``clock_offset_ms`` is how far this machine's clock is ahead of the store's.
    """

    node: str
    name: str
    version: str
    started_ms: int
    connections: int = 0
    rooms: int = 0
    players: int = 0
    round_trip_ms: float = 0.0
    clock_offset_ms: int = 0
    guarantee: str = ""


class Life(NamedTuple):
    """What a store remembers of its servers: downtime, oldest first, and secrets by their names.

    ``beat_ms`` is the newest beat, 0 if there was none. From then to the next start is downtime.
    """

    downtimes: tuple[Downtime, ...] = ()
    beat_ms: int = 0
    secrets: tuple[tuple[str, bytes], ...] = ()


class Pulse(NamedTuple):
    """The store's answer to a beat: its time, all downtime, oldest first, and the living nodes, among them this one.

    ``players`` is the number of players who are connected to any of them.
    """

    now_ms: int
    downtimes: tuple[Downtime, ...]
    nodes: tuple[NodeStatus, ...]
    players: int


class SlowCommit(NamedTuple):
    """A transaction that has stood still, in monotonic seconds. ``until_s`` is None while it lasts."""

    from_s: float
    until_s: float | None


class ConnectionStats:
    """Counters of a node's connection to its store since the start, and the newest round trip.

    All stay 0 for a store in the same process.
    """

    __slots__ = ("batches", "commands", "conflicts", "connects", "incapable", "pushes", "round_trip_s", "timeouts")

    def __init__(self) -> None:
        self.incapable = 0
        """Answers that the store serves no node now, such as that its memory is full."""
        self.batches = self.commands = self.conflicts = self.connects = self.pushes = self.timeouts = 0
        self.round_trip_s = 0.0


class NodeStore(Protocol):
    """The life of a node. Coroutines may raise :class:`StoreUnavailableError`."""

    async def open(self) -> None:
        """Connect, and create what is missing. Raise :class:`SchemaError` for data that this program cannot use."""
        ...

    async def close(self) -> None:
        """Finish every request that was submitted, then disconnect.

        The node gives its part in a shared store back: it holds nothing any more, its players leave now, and the other
        nodes learn of it.
        """
        ...

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        """Store that this node is up, which shows that a change could be stored too. ``players`` are connected to it.

        A store of one process takes ``now_ms`` as the time, but with the first beat after it was opened a newer time if it
        has stored one. It takes the time between the last beat before it was opened and that one as downtime.

        A shared store takes its own time, which never goes backwards. It takes a gap of more than :data:`GAP_MS` between the
        beats of all nodes as downtime. It gives up a node whose last beat is older than the lease: that node holds nothing
        any more, its changes are :class:`Unavailable`, and the others learn of it.
        """
        ...

    async def check_writer(self) -> None:
        """Raise if another server has taken over a store of one process, and write nothing."""
        ...

    async def add_downtime(self, span: Downtime) -> None:
        """Store an outage that the only process saw. A shared store sees those of all nodes itself, and does nothing."""
        ...

    async def life(self) -> Life:
        """Return what the store remembers of its servers."""
        ...

    async def put_life(self, life: Life) -> None:
        """Replace it, in a copy that no server uses yet."""
        ...

    @property
    def slow_commit(self) -> SlowCommit | None:
        """The newest transaction that took longer than :data:`SLOW_COMMIT_S`, or takes longer.

        None without one, and in a shared store, which answers :class:`Unavailable` after that time.
        """
        ...

    def guarantee(self) -> Guarantee:
        """Return what the store guarantees, as it was when this node last connected."""
        ...

    def loss_reason(self) -> str | None:
        """Return why the store has been lost while it was in use, None if it has not been. This costs next to nothing."""
        ...

    @property
    def commits(self) -> int:
        """Transactions so far."""
        ...

    @property
    def stats(self) -> ConnectionStats:
        """Counters of the connection to the store."""
        ...


class Store(MachineStore, PlayerStore, PushStore, BanStore, PassStore, NodeStore, Protocol):
    """All contracts together. Its values are rooms; :meth:`machines` gives access to those of other kinds."""

    def machines(self, kind: str) -> MachineStore:
        """Return the values of a kind."""
        ...
