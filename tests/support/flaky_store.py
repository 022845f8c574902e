"""The SQLite store with outages, slow commits and lost answers at will."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence, Set
from pathlib import Path
from typing import TypeAlias

from noughts.store.contract import NodeStatus, Pulse, StoredPlayer, StoreUnavailableError
from noughts.store.machine_store import (
    Awaited,
    Change,
    CommitAnswer,
    CommitReceiver,
    ListedRow,
    Listing,
    StoredRow,
    Unavailable,
)
from noughts.store.sqlite.store import SqliteStore

REASON = "out of order"
_Submitted: TypeAlias = tuple[Change, CommitReceiver]


class FlakyStore(SqliteStore):
    """A real store that does what a test needs of a bad one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self.down = False
        """Whether every request fails. Nothing is stored then."""
        self.failing: set[str] = set()
        """Names of methods that fail though the store is up."""
        self.loses_answers = False
        """Whether changes are stored and their answers lost: the caller learns that the outcome is not known."""
        self.changes: list[Change] = []
        """All changes submitted so far."""
        self.methods: list[str] = []
        """The names of the other methods that were used so far."""
        self._held: list[_Submitted] | None = None
        self._gates: dict[str, asyncio.Event] = {}

    # --- slowness -----------------------------------------------------------------------------------------------

    def hold_commits(self) -> None:
        """Keep changes back from now on."""
        self._held = []

    @property
    def held(self) -> int:
        """How many changes are kept back."""
        return len(self._held or ())

    def release_commits(self, count: int | None = None) -> None:
        """Pass on the changes that were kept back: all, and keep none back any more, or only the first few."""
        held = self._held or []
        passed, self._held = (held, None) if count is None else (held[:count], held[count:])
        for change, receiver in passed:
            self._pass_on(change, receiver)

    def block(self, method: str) -> asyncio.Event:
        """Let calls of a method wait until the event is set."""
        gate = self._gates[method] = asyncio.Event()
        return gate

    async def settle(self) -> None:
        """Wait until everything that was asked for before is done."""
        await super().count()

    async def commit_at_once(self, change: Change) -> CommitAnswer:
        """Store a change past everything that is kept back, and as another process would: it is not counted."""
        receiver: Awaited[CommitAnswer] = Awaited()
        super().submit(change, receiver)
        return await receiver.future

    # --- the contract -------------------------------------------------------------------------------------------

    def submit(self, change: Change, receiver: CommitReceiver) -> None:
        self.changes.append(change)
        if self._held is not None:
            self._held.append((change, receiver))
        else:
            self._pass_on(change, receiver)

    def _pass_on(self, change: Change, receiver: CommitReceiver) -> None:
        if self.down or "submit" in self.failing:
            asyncio.get_running_loop().call_soon(receiver.commit_answered, change, Unavailable(REASON))
        elif self.loses_answers:
            super().submit(change, _Forgetful(receiver))
        else:
            super().submit(change, receiver)

    async def load(self, room: str) -> StoredRow | None:
        await self._check("load")
        return await super().load(room)

    async def listed(self, listing: Listing, variant: str | None, limit: int) -> Sequence[ListedRow]:
        await self._check("listed")
        return await super().listed(listing, variant, limit)

    async def ids_of(self, player: str) -> Sequence[str]:
        await self._check("ids_of")
        return await super().ids_of(player)

    async def count(self) -> int:
        await self._check("count")
        return await super().count()

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        await self._check("names")
        return await super().names(players)

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        await self._check("player_by_token")
        return await super().player_by_token(token_hash)

    async def seen(self, player: str, now_ms: int) -> None:
        await self._check("seen")
        await super().seen(player, now_ms)

    async def rename(self, player: str, name: str) -> None:
        await self._check("rename")
        await super().rename(player, name)

    async def banned(self) -> Sequence[str]:
        await self._check("banned")
        return await super().banned()

    async def beat(self, status: NodeStatus, now_ms: int, players: Set[str] = frozenset()) -> Pulse:
        await self._check("beat")
        return await super().beat(status, now_ms, players)

    async def _check(self, method: str) -> None:
        self.methods.append(method)
        if method in self._gates:
            await self._gates[method].wait()
        if self.down or method in self.failing:
            raise StoreUnavailableError(REASON)


class _Forgetful:
    """Passes on that an answer came, and not which."""

    def __init__(self, receiver: CommitReceiver) -> None:
        self._receiver = receiver

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        self._receiver.commit_answered(change, Unavailable(REASON))
