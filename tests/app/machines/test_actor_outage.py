"""A room while the store is away or slow, and what was stored and never shown. No player is charged for the wait."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from noughts.app.machines.repository import UNREADABLE_RETRY_MS
from noughts.errors import Rejection
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import Chat, Move, Offer
from noughts.room.storage import room_bytes
from noughts.store.machine_store import Change, CommitReceiver, Failed
from tests.support.node import ANN, BEN, EVE, Cluster, Node, game_of, raise_version
from tests.support.replies import code_of, submit

# --- a store that is away -------------------------------------------------------------------------------------------


async def test_nothing_is_asked_of_a_store_that_is_away(cluster: Cluster, node: Node) -> None:
    actor, other = await node.game(), await node.game()
    await actor.request(ANN, Move("a", 0, "b2"))
    cluster.store.down = True
    assert await code_of(other.request(ANN, Chat("b", "hello"))) == "unavailable"
    changes = len(cluster.store.changes)
    assert submit(actor, BEN, Move("c", 1, "a1")).code == "unavailable"
    assert submit(actor, ANN, Move("a", 0, "b2")).version == 3  # what is known needs no store
    assert len(cluster.store.changes) == changes


async def test_what_waits_for_a_room_that_cannot_be_read_is_rejected(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    cluster.store.loses_answers = True
    assert await code_of(actor.request(ANN, Move("a", 0, "b2"))) == "unavailable"
    cluster.store.failing.add("load")
    answers = [submit(actor, BEN, Chat(id, "hello")) for id in "bc"]
    await node.settle()
    assert [(answer.code, answer.count) for answer in answers] == [("unavailable", 1)] * 2
    cluster.store.failing.clear()
    cluster.store.loses_answers = False
    await node.probe_store()
    assert await actor.request(BEN, Move("d", 1, "a1")) == 4


# --- what was stored and never shown --------------------------------------------------------------------------------


async def test_a_chat_line_whose_answer_was_lost_is_shown_once(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    await actor.request(ANN, Chat("a", "one"))
    screen = node.join(actor)
    cluster.store.loses_answers = True
    assert await code_of(actor.request(BEN, Chat("b", "two"))) == "unavailable"
    cluster.store.loses_answers = False
    await node.probe_store()
    assert await actor.request(BEN, Chat("b", "two")) == 2
    await actor.request(ANN, Chat("c", "three"))
    newcomer = node.join(actor)
    await node.settle()
    assert (screen.chat, newcomer.chat) == (["one", "two", "three"], ["one", "two", "three"])


async def test_a_room_that_could_not_be_read_is_tried_again(cluster: Cluster, node: Node) -> None:
    """Nobody need ask for it."""
    two = Node(cluster, "two")
    actor = await node.game()
    other = await two.registry.open(actor.id)
    screen = two.join(other)
    await raise_version(cluster, actor.id, b"no room")
    other.changed_elsewhere(Change(actor.id, 2, 3, b"no room"))
    await two.settle()
    stored = await cluster.store.load(actor.id)
    assert stored is not None
    await cluster.store.commit_at_once(Change(actor.id, 3, 4, room_bytes(replace(actor.room, version=4))))
    cluster.clock.ms += UNREADABLE_RETRY_MS
    await two.wake_rooms()
    assert screen.versions == [2, 4]


# --- a change that fails alone --------------------------------------------------------------------------------------


async def test_a_change_that_fails_alone_is_no_outage(
    cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other rooms go on. Sent again once the damage is repaired, the command is carried out: its id was not kept."""
    actor, other = await node.game(), await node.game()
    submit_change = cluster.store.submit

    def submit_or_fail(change: Change, receiver: CommitReceiver) -> None:
        if change.id != other.id:
            asyncio.get_running_loop().call_soon(receiver.commit_answered, change, Failed("a damaged page"))
        else:
            submit_change(change, receiver)

    monkeypatch.setattr(cluster.store, "submit", submit_or_fail)
    for _ in range(2):
        answer = submit(actor, ANN, Move("a", 0, "b2"))
        await node.settle()
        assert answer.rejection is not None
        assert (answer.code, answer.rejection.retry_ms) == ("unavailable", 60_000)
        assert "tell the operator" in answer.rejection.message
    assert not node.downtime.on
    assert await other.request(ANN, Move("a", 0, "b2")) == 3
    with pytest.raises(Rejection, match="tell the operator"):
        await node.room()
    monkeypatch.setattr(cluster.store, "submit", submit_change)
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3


# --- a store that is slow -------------------------------------------------------------------------------------------


CLOCK = FischerClock(60_000, 0)


async def test_a_move_that_waits_for_a_chat_line_is_in_time(cluster: Cluster, node: Node) -> None:
    """It is judged as of its arrival, though the flag was due when its turn came."""
    actor = await node.timed_game(MoveClock(10_000))
    cluster.clock.ms += 9_800
    cluster.store.hold_commits()
    submit(actor, EVE, Chat("a", "look"))
    answer = submit(actor, ANN, Move("b", 2, "c3"))
    arrived_ms = cluster.clock.ms
    cluster.clock.ms += 400
    actor.wake()
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, actor.room.playing) == (5, True)
    assert game_of(actor).at_ms[-1] == arrived_ms


async def test_a_room_that_is_read_again_keeps_its_turn(cluster: Cluster, node: Node) -> None:
    """The stored room says when the step was taken, not when it was sent."""
    actor = await node.timed_game(CLOCK)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 2, "c3"))
    cluster.clock.ms += 400
    cluster.store.release_commits()
    await node.settle()
    began_ms = game_of(actor).turn_since_ms
    await actor.refresh()
    assert game_of(actor).turn_since_ms == began_ms == cluster.clock.ms


async def test_a_command_that_conflicts_keeps_its_time(cluster: Cluster, pair: tuple[Node, Node]) -> None:
    """Another node changed the room first. The player is not charged for the second attempt."""
    one, two = pair
    actor = await one.timed_game(MoveClock(10_000))
    other = await two.registry.open(actor.id)
    await actor.request(BEN, Offer("a", "draw"))
    cluster.clock.ms += 9_000
    began_ms = cluster.clock.ms
    cluster.store.hold_commits()
    answer = submit(other, ANN, Move("b", 2, "c3"))
    await two.settle()
    cluster.clock.ms += 2_000
    cluster.store.release_commits()
    for _ in range(3):
        await two.settle()
    assert (answer.version, game_of(other).at_ms[-1]) == (6, began_ms)
