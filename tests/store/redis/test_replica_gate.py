"""What is received waits for the barrier that was sent after it."""

from __future__ import annotations

from typing import Any

from noughts.store.redis.replica_gate import ReplicaGate


def entries(gate: ReplicaGate) -> list[Any]:
    """Return what a confirmed barrier releases: an answer, or the message of a push."""
    return [first if answered is not None else payload for answered, first, payload in gate.released()]


def test_a_confirmed_barrier_releases_what_came_before_it() -> None:
    """A push between the write and its confirmation is newer than the write: it waits for the next barrier."""
    gate = ReplicaGate()
    gate.coming += 1
    gate.hold_answer(print, "answer 1")
    gate.hold_push(b"inbox", b"push 1")
    gate.mark()
    gate.hold_push(b"inbox", b"push 2")
    assert entries(gate) == ["answer 1", b"push 1"]
    gate.coming += 1
    gate.mark()
    assert entries(gate) == [b"push 2"]


def test_a_lost_connection_drops_pushes_and_returns_receivers() -> None:
    gate = ReplicaGate()
    gate.hold_push(b"inbox", b"push 1")
    gate.hold_answer(print, "answer 1")
    assert gate.clear() == [print]
    gate.coming += 1
    gate.mark()
    assert entries(gate) == []


def test_a_connection_lost_during_a_release_ends_it() -> None:
    gate = ReplicaGate()
    for number in range(2):
        gate.hold_answer(print, number)
    gate.mark()
    released = gate.released()
    assert next(released) == (print, 0, None)
    gate.clear()
    assert list(released) == []
