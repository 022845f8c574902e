"""The SQLite store with outages, slow commits and lost answers at will."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from noughts.store.contract import StoreUnavailableError
from noughts.store.machine_store import Awaited, Change, CommitAnswer, CommitReceiver, Unavailable
from noughts.store.sqlite.store import SqliteStore

REASON = "out of order"
_Submitted: TypeAlias = tuple[Change, CommitReceiver]
P = ParamSpec("P")
T = TypeVar("T")
_Method: TypeAlias = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


def _checked(method: _Method[P, T]) -> _Method[P, T]:
    """Return a method that first does what the test wants of it."""

    async def call(store: Any, /, *arguments: P.args, **named: P.kwargs) -> T:
        await store.check(method.__name__)
        return await method(store, *arguments, **named)

    return call


class FlakyStore(SqliteStore):
    """A real store that does what a test needs of a bad one."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._store, self.submit = self.submit, self.hold_or_pass_on
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
        self._store(change, receiver)
        return await receiver.future

    # --- the contract -------------------------------------------------------------------------------------------

    def hold_or_pass_on(self, change: Change, receiver: CommitReceiver) -> None:
        """Submit a change, unless changes are kept back."""
        self.changes.append(change)
        if self._held is not None:
            self._held.append((change, receiver))
        else:
            self._pass_on(change, receiver)

    def _pass_on(self, change: Change, receiver: CommitReceiver) -> None:
        if self.down or "submit" in self.failing:
            asyncio.get_running_loop().call_soon(receiver.commit_answered, change, Unavailable(REASON))
        elif self.loses_answers:
            self._store(change, _Forgetful(receiver))
        else:
            self._store(change, receiver)

    load = _checked(SqliteStore.load)
    listed = _checked(SqliteStore.listed)
    ids_of = _checked(SqliteStore.ids_of)
    count = _checked(SqliteStore.count)
    names = _checked(SqliteStore.names)
    player_by_token = _checked(SqliteStore.player_by_token)
    seen = _checked(SqliteStore.seen)
    rename = _checked(SqliteStore.rename)
    banned = _checked(SqliteStore.banned)
    beat = _checked(SqliteStore.beat)

    async def check(self, method: str) -> None:
        """Note a call, wait for its gate, and let it fail if it must."""
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
