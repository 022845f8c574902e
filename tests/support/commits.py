"""Changes of rooms for tests of stores, and receivers of their answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.machine_store import Awaited, Change, CommitAnswer, IndexEntry, Line, MachineStore

INDEX = IndexEntry(wake_at_ms=1_000, listing="open", variant="classic", players=("p_ann",))
LINE = Line(n=0, at_ms=10, player="p_ann", mark="X", text="hello", ply=3)


def new_room(room: str = "r1", index_entry: IndexEntry = INDEX, **fields: Any) -> Change:
    """Return the change that creates a room at version 1."""
    return Change(room, 0, 1, **{"data": b"one", "index_entry": index_entry, **fields})


def next_version(version: int, room: str = "r1", data: bytes = b"more", **fields: Any) -> Change:
    """Return a change to a version from the one before; a plain one without further fields."""
    return Change(room, version - 1, version, data=data, **fields)


def chat(version: int, room: str = "r1", line: Line = LINE, **fields: Any) -> Change:
    """Return a chat line in a room at a version."""
    return Change(room, version, version, line=line, **fields)


def answered(*ids: tuple[str, str, int]) -> bytes:
    """Return an encoded list of answered ids, each given as player, id and version."""
    encoded = IdempotencyKeys()
    for player, id, version in ids:
        encoded.add((player, id), version)
    return encoded.encoded()


class Answers:
    """A receiver that keeps all answers in the order in which it was given them."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self.answers: list[CommitAnswer] = []

    def commit_answered(self, change: Change, answer: CommitAnswer) -> None:
        self.changes.append(change)
        self.answers.append(answer)


async def commit(store: MachineStore, change: Change) -> CommitAnswer:
    """Submit a change and wait for its answer."""
    return (await commit_all(store, [change]))[0]


async def commit_all(store: MachineStore, changes: Iterable[Change]) -> list[CommitAnswer]:
    """Submit changes in one turn of the event loop; wait for the answers, in the same order."""
    receivers: list[Awaited[CommitAnswer]] = []
    for change in changes:
        receivers.append(Awaited())
        store.submit(change, receivers[-1])
    return [await receiver.future for receiver in receivers]
