"""What follows a commit: every audience sees the change, in the form that its audience may see."""

from __future__ import annotations

from noughts.protocol.close_codes import RESTART
from noughts.room.commands import Move
from noughts.room.storage import room_bytes
from noughts.store.machine_store import Change
from tests.support.node import ANN, BEN, Cluster, Node, raise_version


async def test_the_last_event_is_shown_with_the_room(node: Node) -> None:
    """A move that wins ends the game too: one message says so."""
    actor = await node.game()
    screen = node.join(actor)
    for ply, cell in enumerate(("b2", "a1", "b1", "a2", "b3")):
        await actor.request((ANN, BEN)[ply % 2], Move(f"m{ply}", ply, cell))
    await node.settle()
    assert screen.events == ["moved"] * 4 + ["ended"]


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
