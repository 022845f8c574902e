"""What follows a commit: every audience sees the change, in the form that its audience may see."""

from __future__ import annotations

from noughts.protocol.close_codes import RESTART
from noughts.room.clock import MoveClock
from noughts.room.commands import Move, Set, Sit
from noughts.room.storage import room_bytes
from noughts.store.machine_store import Change
from tests.support.node import ANN, BEN, EVE, Cluster, Node, raise_version


async def test_every_audience_sees_what_it_may(node: Node) -> None:
    """The same room, and what each can do."""
    actor = await node.room()
    pages = [node.join(actor, person) for person in (ANN, BEN, EVE, None)]
    await actor.request(BEN, Sit("a", "O", actor.room.invite))
    await node.settle()
    shown = [screen.of("room")[-1] for screen in pages]
    assert all(message["room"] == shown[0]["room"] for message in shown)
    assert all(message["event"] == {"type": "started", "game": 1} for message in shown)
    assert [message["you"]["mark"] for message in shown] == ["X", "O", None, None]
    assert ["invite" in message["you"] for message in shown] == [True, True, False, False]


async def test_the_last_event_is_shown_with_the_room(node: Node) -> None:
    """A move that wins ends the game too: one message says so."""
    actor = await node.game()
    screen = node.join(actor)
    for ply, cell in enumerate(("b2", "a1", "b1", "a2", "b3")):
        await actor.request((ANN, BEN)[ply % 2], Move(f"m{ply}", ply, cell))
    await node.settle()
    assert screen.events == ["moved"] * 4 + ["ended"]


async def test_a_client_is_measured_from_when_the_room_has_a_clock(node: Node) -> None:
    actor = await node.room()
    screen = node.join(actor, ANN)
    timed = []
    for number, clock in enumerate((MoveClock(60_000), None)):
        await actor.request(ANN, Set(f"set {number}", clock=clock))
        timed.append(screen.connection.timed)
    assert timed == [True, False]


async def test_a_room_of_which_changes_were_lost_begins_anew(cluster: Cluster, node: Node) -> None:
    """Its clients would not take an older version on the connection that they have."""
    actor = await node.game()
    older, screen = actor.room, node.join(actor, ANN)
    await actor.request(ANN, Move("a", 0, "b2"))
    await raise_version(cluster, actor.id)
    shown = []
    for _ in range(2):
        actor.read_again()
        await node.settle()
        shown.append((screen.versions[-1], screen.code))
        lost = Change(actor.id, actor.room.version, older.version, room_bytes(older))
        await cluster.store.commit_at_once(lost)  # as if the store had lost what came after
    assert shown == [(older.version + 2, None), (older.version, RESTART)]
