"""Copies everything from one store to another, over the contract that a server uses.

What is good for ten minutes is left out: resume codes, passes and credits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from noughts.store.contract import NodeStatus, Store, StoredPlayer
from noughts.store.kinds import KINDS, Kind
from noughts.store.machine_store import Awaited, Change, CommitAnswer, MachineStore, Stored, WholeRow

AT_ONCE: Final = 100
"""Values that are read together, then written together."""
PROGRESS_EVERY: Final = 500
"""Values or guests between two lines of progress."""
BEAT_S: Final = 1.0
"""Seconds between two signs of life of the copy. A shared store forgets a node that sends none."""
_TOKEN: Final = b"of a copy"
"""The token with which a guest is added, until it has those of the source."""


class CopyError(Exception):
    """The copy cannot be made. The message says why and what to do."""


class Copied(NamedTuple):
    """How much a store holds: the number of values of each kind, and of guests."""

    values: Mapping[str, int]
    players: int

    def __str__(self) -> str:
        """Return the counts for people, as "3 rooms, 1 guest"."""
        counts = [*self.values.items(), ("guest", self.players)]
        return ", ".join([f"{count:,} {name}" + "s" * (count != 1) for name, count in counts])


async def counts_of(store: Store, kinds: Sequence[Kind] = KINDS) -> Copied:
    """Return how much a store holds."""
    return Copied({kind.name: await store.machines(kind.name).count() for kind in kinds}, await store.player_count())


async def copy(
    source: Store, target: Store, status: NodeStatus, show: Callable[[str], None], kinds: Sequence[Kind] = KINDS
) -> Copied:
    """Copy everything to an empty store. Return what that holds now. ``show`` is called with lines of progress.

    ``status`` is that of the copy among the nodes of the target. A value that is removed or made meanwhile may be missing.
    Raise :class:`CopyError` if the target took less than it was given, ``StoreUnavailableError`` if one of both fails.
    """
    progress = _Progress(target, status, show)
    players = 0
    ids = await source.unseen(1 << 62, 1 << 31)
    for number, id in enumerate(ids, 1):
        player = await source.player(id)
        if player is not None:  # deleted meanwhile
            await _copy_player(source, target, player)
            players += 1
        await progress.note(number, len(ids), "guests")
    values = {}
    for kind in kinds:
        values[kind.name] = 0
        from_values, to_values = source.machines(kind.name), target.machines(kind.name)
        ids = await from_values.ids()
        for start in range(0, len(ids), AT_ONCE):
            rows = await asyncio.gather(*[from_values.whole(id) for id in ids[start : start + AT_ONCE]])
            whole = [row for row in rows if row is not None]
            await _put(to_values, kind.name, whole)
            values[kind.name] += len(whole)
            await progress.note(min(start + AT_ONCE, len(ids)), len(ids), f"{kind.name}s")
    for address in await source.banned():
        await target.ban(address)
    await target.put_life(await source.life())
    given, taken = Copied(values, players), await counts_of(target, kinds)
    if given != taken:
        raise CopyError(f"the copy holds {taken}, and not {given}: copy again")
    return taken


class _Progress:
    def __init__(self, target: Store, status: NodeStatus, show: Callable[[str], None]) -> None:
        self._target = target
        self._status = status
        self._show = show
        self._beat_s = time.monotonic()

    async def note(self, number: int, total: int, what: str) -> None:
        """Show how far the copy is, and give the target a sign of life."""
        if number % PROGRESS_EVERY == 0 or number == total:
            self._show(f"  {number:,} of {total:,} {what}")
        if time.monotonic() - self._beat_s > BEAT_S:
            self._beat_s = time.monotonic()
            await self._target.beat(self._status, 0)


async def _copy_player(source: Store, target: Store, player: StoredPlayer) -> None:
    identity = await source.identity_hash(player.id)
    if identity is None:
        await target.add_player(player, _TOKEN)
    else:
        await target.sign_on(identity, player, _TOKEN)
    await target.delete_token(player.id, _TOKEN)
    for token in await source.tokens(player.id):
        await target.add_token(player.id, token.hash, token.made_ms)
        await target.seen(player.id, token.seen_ms, token.hash)
    await target.seen(player.id, player.seen_ms)
    for subscription in reversed(await source.subscriptions(player.id)):
        await target.subscribe(subscription)


async def _put(target: MachineStore, kind: str, rows: Sequence[WholeRow]) -> None:
    """Store values in their order, each with its chat lines under their numbers."""
    receivers: list[Awaited[CommitAnswer]] = []

    def submit(change: Change) -> None:
        receivers.append(Awaited())
        target.submit(change, receivers[-1])

    for id, stored, entry, records in rows:
        version = stored.version
        made = Change(
            id, 0, version, stored.data, entry, command_ids=stored.command_ids or None, records=records, kind=kind
        )
        submit(made)
        for line in stored.lines:
            submit(Change(id, version, version, line=line, kind=kind, line_number=line.n))
    for receiver in receivers:
        answer = await receiver.future
        if not isinstance(answer, Stored):
            raise CopyError(f"the target does not take a {kind}: {answer}")
