"""What presence promises, seen from two nodes: each reports its connections, and both see the same."""

from __future__ import annotations

import pytest

from noughts.store.backend import Backend
from noughts.store.presence import (
    NO_ATTENDANCE,
    Attendance,
    PresenceMirror,
    PresenceReport,
    stored_attendance,
    stored_presence,
)
from tests.store.conftest import Nodes, messages_between
from tests.support.commits import commit, new_room

ROOM, ANN, BEN = "r1", "p_ann", "p_ben"


class Two:
    """Two nodes of one store."""

    def __init__(self, one: Backend, two: Backend) -> None:
        self.backends = one, two
        self.one, self.two = one.presence, two.presence

    async def hold(self, at_ms: int, *mirrors: PresenceMirror) -> None:
        """Let nodes hold the room, both without others given."""
        for backend in self.backends:
            if not mirrors or backend.presence in mirrors:
                held = await backend.store.hold(ROOM)
                assert held is not None
                backend.presence.hold(ROOM, at_ms, held.presence)

    async def settle(self) -> None:
        """Publish what each node has to report, and let the other take it over."""
        for mirror in (self.one, self.two):
            mirror.publish(ROOM)
        for sender, receiver in (self.backends, self.backends[::-1]):
            for message in await messages_between(sender.relay, receiver.relay):
                if isinstance(message, PresenceReport):
                    receiver.presence.received(message)

    async def away(self, *mirrors: PresenceMirror) -> list[dict[str, int]]:
        """Return since when Ann and Ben are away, as each node sees it."""
        await self.settle()
        return [dict(mirror.presence(ROOM, (ANN, BEN), 0).away) for mirror in mirrors or (self.one, self.two)]

    async def since_ms(self) -> int:
        """Return when presence in the room began."""
        held = await self.backends[0].store.hold(ROOM)
        assert held is not None
        assert held.presence is not None
        return held.presence.since_ms


@pytest.fixture
async def two(nodes: Nodes) -> Two:
    pair = Two(await nodes.node("one"), await nodes.node("two"))
    await commit(pair.backends[0].store, new_room(ROOM))
    return pair


# --- who is here ----------------------------------------------------------------------------------------------------


async def test_a_player_is_here_from_arrival_to_departure(two: Two) -> None:
    """On whichever node, as both see it."""
    await two.hold(100)
    since_ms = await two.since_ms()
    at_ms = since_ms + 1_000
    assert await two.away() == [{ANN: since_ms, BEN: since_ms}] * 2
    two.one.arrived(ROOM, ANN, "Ann", at_ms)
    two.two.arrived(ROOM, BEN, "Ben", at_ms)
    assert await two.away() == [{}] * 2
    two.one.departed(ROOM, ANN, at_ms + 300)
    assert await two.away() == [{ANN: at_ms + 300}] * 2
    two.one.arrived(ROOM, ANN, "Ann", at_ms + 400)
    assert await two.away() == [{}] * 2


async def test_the_newest_departure_on_any_node_begins_the_absence(two: Two) -> None:
    """Also for a node that holds the room later, and for one on which the player never was."""
    await two.hold(100, two.one)
    at_ms = await two.since_ms() + 1_000
    for mirror, later_ms in ((two.one, 0), (two.one, 2_000)):
        mirror.arrived(ROOM, ANN, "Ann", at_ms + later_ms)
        mirror.departed(ROOM, ANN, at_ms + later_ms + 500)
    two.one.publish(ROOM)
    await two.hold(100)
    assert [away[ANN] for away in await two.away()] == [at_ms + 2_500] * 2
    two.two.arrived(ROOM, ANN, "Ann", at_ms + 3_000)
    two.two.departed(ROOM, ANN, at_ms + 3_100)
    assert [away[ANN] for away in await two.away()] == [at_ms + 3_100] * 2


async def test_departures_outlive_the_nodes_that_recorded_them(two: Two) -> None:
    await two.hold(100, two.one)
    at_ms = await two.since_ms() + 1_000
    two.one.arrived(ROOM, ANN, "Ann", at_ms)
    two.one.departed(ROOM, ANN, at_ms + 500)
    two.one.publish(ROOM)
    two.one.release(ROOM)
    two.backends[0].store.release(ROOM)
    await two.hold(at_ms + 90_000, two.two)
    assert [away[ANN] for away in await two.away(two.two)] == [at_ms + 500]


async def test_several_connections_are_one_presence(two: Two) -> None:
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    for mirror in (two.one, two.one, two.two):
        mirror.arrived(ROOM, ANN, "Ann", at_ms)
    for mirror in (two.one, two.two):
        mirror.departed(ROOM, ANN, at_ms + 100)
        assert ANN not in (await two.away())[0]
    two.one.departed(ROOM, ANN, at_ms + 200)
    assert [away[ANN] for away in await two.away()] == [at_ms + 200] * 2


async def test_a_sign_of_life_begins_the_absence_anew(two: Two) -> None:
    """A player who takes a seat over HTTP has no connection yet."""
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    two.one.seen(ROOM, ANN, at_ms)
    assert [away[ANN] for away in await two.away()] == [at_ms] * 2


async def test_any_connection_counts_for_the_last_departure(two: Two) -> None:
    """Of a spectator without a name as well; 0 while nobody ever left."""
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    two.one.arrived(ROOM, None, "", at_ms)
    await two.settle()
    assert [mirror.presence(ROOM, (), 0).last_left_ms for mirror in (two.one, two.two)] == [0, 0]
    two.one.departed(ROOM, None, at_ms + 100)
    await two.settle()
    assert [mirror.presence(ROOM, (), 0).last_left_ms for mirror in (two.one, two.two)] == [at_ms + 100] * 2


def test_a_room_that_is_not_held_has_nobody() -> None:
    mirror = PresenceMirror("one")
    presence = mirror.presence(ROOM, (ANN, BEN), 500)
    assert (dict(presence.away), presence.connections, presence.last_left_ms) == ({ANN: 500, BEN: 500}, 0, 0)
    assert mirror.attendance(ROOM) == NO_ATTENDANCE
    mirror.release(ROOM)
    mirror.publish(ROOM)
    mirror.renamed(ROOM, ANN, "Anna")
    mirror.received(PresenceReport(ROOM, "two", Attendance(1, 1, {}), {}, 0))
    assert (mirror.attendance(ROOM), list(mirror.holders(ROOM))) == (NO_ATTENDANCE, ["one"])


def test_the_only_node_has_presence_too() -> None:
    mirror = PresenceMirror("one")
    mirror.arrived(ROOM, ANN, "Ann", 100)
    mirror.seen("other", BEN, 100)
    mirror.publish(ROOM)
    assert not mirror.shared
    assert dict(mirror.presence(ROOM, (ANN, BEN), 200).away) == {BEN: 100}
    assert dict(mirror.presence("other", (ANN, BEN), 200).away) == {ANN: 100, BEN: 100}
    assert len(mirror.players()) == 1


# --- counts ---------------------------------------------------------------------------------------------------------


async def test_connections_are_counted_on_all_nodes(two: Two) -> None:
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    for mirror, player, name in (
        (two.one, ANN, "Ann"), (two.one, None, ""), (two.two, None, ""), (two.two, ANN, "Ann"), (two.two, BEN, "Ben"),
    ):  # fmt: skip
        mirror.arrived(ROOM, player, name, at_ms)
    await two.settle()
    for mirror in (two.one, two.two):
        assert mirror.presence(ROOM, (), 0).connections == 5
        assert mirror.attendance(ROOM) == Attendance(5, 2, {ANN: "Ann", BEN: "Ben"})
        assert sorted(mirror.holders(ROOM)) == ["one", "two"]
    two.two.departed(ROOM, BEN, at_ms + 100)
    two.two.departed(ROOM, None, at_ms + 100)
    await two.settle()
    for mirror in (two.one, two.two):
        assert mirror.attendance(ROOM) == Attendance(3, 1, {ANN: "Ann"})


async def test_the_stored_record_says_the_same(two: Two) -> None:
    """A node that does not hold the room reads it for the lobby."""
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    two.one.arrived(ROOM, ANN, "Ann", at_ms)
    two.two.arrived(ROOM, None, "", at_ms)
    await two.settle()
    (listed,) = await two.backends[0].store.listed("open", None, 10)
    assert listed.presence is not None
    assert stored_attendance(listed.presence) == two.one.attendance(ROOM)
    assert stored_presence(listed.presence, (ANN, BEN)) == two.two.presence(ROOM, (ANN, BEN), 0)
    assert (await two.backends[0].store.newest(1))[0].presence == listed.presence


async def test_a_new_name_is_shown_for_connections_that_are_there(two: Two) -> None:
    await two.hold(100)
    for mirror in (two.one, two.two):
        mirror.arrived(ROOM, ANN, "Ann", 100)
        mirror.arrived(ROOM, BEN, "Ben", 100)
    await two.settle()
    for mirror in (two.one, two.two):
        mirror.renamed(ROOM, ANN, "Anna")
        mirror.renamed(ROOM, "p_eve", "Eve")
    await two.settle()
    for mirror in (two.one, two.two):
        assert dict(mirror.attendance(ROOM).players) == {ANN: "Anna", BEN: "Ben"}


async def test_an_unchanged_report_is_not_sent_again(two: Two) -> None:
    await two.hold(100)
    two.one.arrived(ROOM, ANN, "Ann", 100)
    two.one.publish(ROOM)
    two.one.publish(ROOM)
    two.one.arrived(ROOM, None, "", 100)
    two.one.publish(ROOM)
    messages = await messages_between(two.backends[0].relay, two.backends[1].relay)
    assert [message.report.connections for message in messages if isinstance(message, PresenceReport)] == [1, 2]


# --- the end of a node ------------------------------------------------------------------------------------------------


async def test_players_leave_with_the_last_beat_of_their_node(two: Two) -> None:
    """Unless they have another connection. A second report of the end changes nothing."""
    await two.hold(100)
    at_ms = await two.since_ms() + 1_000
    two.two.arrived(ROOM, ANN, "Ann", at_ms)
    two.two.arrived(ROOM, BEN, "Ben", at_ms)
    two.one.arrived(ROOM, BEN, "Ben", at_ms)
    await two.settle()
    assert list(two.one.node_died("two", at_ms + 500)) == [ROOM]
    assert list(two.one.node_died("two", at_ms + 900)) == []
    assert await two.away(two.one) == [{ANN: at_ms + 500}]
    assert two.one.presence(ROOM, (), 0).last_left_ms == at_ms + 500
    assert two.one.attendance(ROOM) == Attendance(1, 0, {BEN: "Ben"})
    assert list(two.one.holders(ROOM)) == ["one"]


async def test_a_release_ends_a_report(two: Two) -> None:
    await two.hold(100)
    two.two.arrived(ROOM, None, "", 100)
    await two.settle()
    assert two.one.attendance(ROOM).connections == 1
    two.two.release(ROOM)
    two.backends[1].store.release(ROOM)
    await two.settle()
    assert two.one.attendance(ROOM).connections == 0


@pytest.mark.parametrize("lost_by", ["the store", "the other node"])
async def test_reports_that_were_lost_are_sent_again(two: Two, lost_by: str) -> None:
    """A node that was given up, or stood still for longer than its lease, holds its rooms again."""
    await two.hold(100)
    two.one.arrived(ROOM, ANN, "Ann", 100)
    await two.settle()
    if lost_by == "the store":
        two.backends[0].store.release(ROOM)
    else:
        two.two.node_died("one", 200)
        assert two.two.attendance(ROOM) == Attendance(0, 0, {})
    await two.hold(300, two.one)
    await two.settle()
    assert two.two.attendance(ROOM) == Attendance(1, 0, {ANN: "Ann"})
