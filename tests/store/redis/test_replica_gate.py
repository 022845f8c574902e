"""What is received waits for the barrier that was sent after it."""

from __future__ import annotations

from typing import Any

from noughts.store.redis.replica_gate import ReplicaGate


class Log:
    def __init__(self) -> None:
        self.entries: list[Any] = []

    def pushed(self, channel: bytes, payload: bytes) -> bool:
        self.entries.append(payload)
        return False


def test_a_confirmed_barrier_releases_what_came_before_it() -> None:
    """A push between the write and its confirmation is newer than the write: it waits for the next barrier."""
    log, gate = Log(), ReplicaGate()
    gate.coming += 1
    gate.hold_answer(log.entries.append, "answer 1")
    gate.hold_push(b"inbox", b"push 1")
    gate.mark()
    gate.hold_push(b"inbox", b"push 2")
    assert log.entries == []
    gate.release(log)
    assert log.entries == ["answer 1", b"push 1"]
    gate.coming += 1
    gate.mark()
    gate.release(log)
    assert log.entries == ["answer 1", b"push 1", b"push 2"]


def test_a_lost_connection_drops_pushes_and_returns_receivers() -> None:
    log, gate = Log(), ReplicaGate()
    gate.hold_push(b"inbox", b"push 1")
    gate.hold_answer(log.entries.append, "answer 1")
    assert gate.clear() == [log.entries.append]
    gate.coming += 1
    gate.mark()
    gate.release(log)
    assert log.entries == []
