"""What follows a commit: every audience sees the change, the next deadline is set, lobby and other nodes hear of it."""

from __future__ import annotations

import pytest

from noughts.app.rooms.publisher import LOBBY
from noughts.protocol.close_codes import RESTART
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Close, Move, React, Resign, RoomCommand, SeatEngine, Set, Sit
from noughts.room.seat import Person
from tests.support.node import ANN, BEN, EVE, Cluster, Node


async def lobby_hears(node: Node, person: Person, command: RoomCommand, **options: object) -> bool:
    """Return whether the lobby is to be sent after a command in a new room."""
    actor = await node.room(**options)  # type: ignore[arg-type]
    node.notices.set(LOBBY, None)
    await actor.request(person, command)
    return node.notices.at_ms(LOBBY) is not None


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


@pytest.mark.parametrize(
    ("person", "command", "options", "sent"),
    [
        (BEN, Sit("a", "O"), {"opponent": "anyone"}, True),
        (ANN, Close("a"), {"opponent": "anyone"}, True),
        (ANN, Set("a", visibility="unlisted"), {"opponent": "anyone"}, True),
        (ANN, SeatEngine("a", "O", "novice"), {"opponent": "anyone"}, True),
        (ANN, Set("a", visibility="public"), {"opponent": "friend"}, False),
        (ANN, SeatEngine("a", "O", "novice"), {"opponent": "friend"}, False),
        (ANN, Chat("a", "hello"), {"opponent": "anyone"}, False),
        (ANN, React("a", "👍"), {"opponent": "anyone"}, False),
        (ANN, Move("a", 0, "b2"), {"opponent": "engine", "engines": ("novice",), "visibility": "public"}, True),
        (ANN, Resign("a"), {"opponent": "engine", "engines": ("novice",), "visibility": "public"}, True),
        (ANN, Move("a", 0, "b2"), {"opponent": "engine", "engines": ("novice",)}, False),
    ],
)
async def test_the_lobby_hears_what_it_shows(
    node: Node, person: Person, command: RoomCommand, options: dict[str, object], sent: bool
) -> None:
    """Of public rooms only, and only of those that stand in a list, or stood there before."""
    assert await lobby_hears(node, person, command, **options) is sent


async def test_a_notice_that_is_on_its_way_is_not_put_off(cluster: Cluster, node: Node) -> None:
    first_ms = cluster.clock.ms
    node.publisher.lobby_changed()
    node.publisher.crowd_changed("r1", first_ms + 500)
    cluster.clock.ms += 100
    node.publisher.lobby_changed()
    node.publisher.crowd_changed("r1", first_ms + 1_000)
    assert (node.notices.at_ms(LOBBY), node.notices.at_ms("r1")) == (first_ms, first_ms + 500)


async def test_a_client_is_measured_from_when_the_room_has_a_clock(node: Node) -> None:
    actor = await node.room()
    screen = node.join(actor, ANN)
    timed = []
    for number, clock in enumerate((MoveClock(60_000), None)):
        await actor.request(ANN, Set(f"set {number}", clock=clock))
        timed.append(screen.connection.timed)
    assert timed == [True, False]


async def test_a_room_of_which_changes_were_lost_begins_anew(node: Node) -> None:
    """Its clients would not take an older version on the connection that they have."""
    actor = await node.game()
    older = actor.room
    await actor.request(ANN, Move("a", 0, "b2"))
    newer = actor.room
    codes = []
    for before, after in ((older, newer), (newer, older)):
        screen = node.join(actor, ANN)
        node.publisher.publish_loaded(before, after, actor.connections, actor.presence)
        await node.settle()
        assert screen.versions[-1] == after.version
        codes.append(screen.code)
    assert codes == [None, RESTART]
