"""What every implementation of presence promises, seen from two nodes. Another one is one more line in ``CLUSTERS``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import pytest

from noughts.store.presence import LEASE_MS, NOBODY, Attendance, LocalCluster, LocalPresence, PresenceLeases

ROOM, ANN, BEN = "r1", "p_ann", "p_ben"


class Cluster(Protocol):
    """Several nodes, and a way to wait until each has learned what the others reported."""

    def node(self, name: str) -> PresenceLeases: ...
    async def settle(self) -> None: ...


class _Local:
    def __init__(self) -> None:
        self._cluster = LocalCluster()

    def node(self, name: str) -> PresenceLeases:
        return LocalPresence(self._cluster, name)

    async def settle(self) -> None:
        """Do nothing: nodes of one process share their memory."""


CLUSTERS: dict[str, Callable[[], Cluster]] = {"local": _Local}


@pytest.fixture(params=sorted(CLUSTERS))
def cluster(request: pytest.FixtureRequest) -> Cluster:
    return CLUSTERS[request.param]()


@pytest.fixture
def one(cluster: Cluster) -> PresenceLeases:
    return cluster.node("one")


@pytest.fixture
def two(cluster: Cluster) -> PresenceLeases:
    return cluster.node("two")


async def away(cluster: Cluster, at_ms: int, *nodes: PresenceLeases) -> list[dict[str, int]]:
    """Return since when Ann and Ben are away, as each node sees it."""
    await cluster.settle()
    return [dict(node.presence(ROOM, (ANN, BEN), at_ms).away) for node in nodes]


# --- who is here ----------------------------------------------------------------------------------------------------


async def test_a_player_is_here_from_arrival_to_departure(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """On whichever node, as both see it."""
    one.hold(ROOM, 100)
    two.hold(ROOM, 100)
    assert await away(cluster, 150, one, two) == [{ANN: 100, BEN: 100}] * 2
    one.arrived(ROOM, ANN, "Ann", 200)
    two.arrived(ROOM, BEN, "Ben", 200)
    assert await away(cluster, 250, one, two) == [{}] * 2
    one.departed(ROOM, ANN, 300)
    assert await away(cluster, 350, one, two) == [{ANN: 300}] * 2
    one.arrived(ROOM, ANN, "Ann", 400)
    assert await away(cluster, 450, one, two) == [{}] * 2


async def test_several_connections_are_one_presence(cluster: Cluster, one: PresenceLeases, two: PresenceLeases) -> None:
    for node in (one, one, two):
        node.arrived(ROOM, ANN, "Ann", 100)
    for node, at_ms in ((one, 200), (two, 300)):
        node.departed(ROOM, ANN, at_ms)
        assert await away(cluster, at_ms, one, two) == [{BEN: 100}] * 2
    one.departed(ROOM, ANN, 400)
    assert await away(cluster, 500, one, two) == [{ANN: 400, BEN: 100}] * 2


async def test_all_nodes_agree_since_when_a_player_is_away(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """Since the newest departure from any node, or since the first of them watched the room."""
    one.hold(ROOM, 100)
    two.hold(ROOM, 5_000)
    assert await away(cluster, 6_000, one, two) == [{ANN: 100, BEN: 100}] * 2
    for node, at_ms in ((one, 7_000), (two, 8_000)):
        node.arrived(ROOM, ANN, "Ann", at_ms)
        node.departed(ROOM, ANN, at_ms + 500)
    assert await away(cluster, 9_000, one, two) == [{ANN: 8_500, BEN: 100}] * 2
    one.arrived(ROOM, BEN, "Ben", 9_000)
    two.arrived(ROOM, BEN, "Ben", 9_000)
    two.departed(ROOM, BEN, 9_800)
    one.departed(ROOM, BEN, 9_900)
    assert await away(cluster, 10_000, one, two) == [{ANN: 8_500, BEN: 9_900}] * 2


async def test_rooms_are_apart(cluster: Cluster, one: PresenceLeases, two: PresenceLeases) -> None:
    one.arrived("other", ANN, "Ann", 100)
    one.hold(ROOM, 200)
    assert await away(cluster, 300, one, two) == [{ANN: 200, BEN: 200}] * 2


async def test_a_room_that_no_node_watches_has_nobody(cluster: Cluster, one: PresenceLeases) -> None:
    await cluster.settle()
    presence = one.presence(ROOM, (ANN, BEN), 500)
    assert (dict(presence.away), presence.connections, presence.last_left_ms) == ({ANN: 500, BEN: 500}, 0, 0)
    assert one.attendance(ROOM) == NOBODY


async def test_a_sign_of_life_begins_the_absence_anew(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """A player who takes a seat over HTTP has no connection yet."""
    one.hold(ROOM, 100)
    two.hold(ROOM, 100)
    one.seen(ROOM, ANN, 20_000)
    assert await away(cluster, 20_100, one, two) == [{ANN: 20_000, BEN: 100}] * 2
    one.arrived(ROOM, ANN, "Ann", 20_200)
    assert await away(cluster, 20_300, one, two) == [{BEN: 100}] * 2


async def test_the_last_departure_is_that_of_any_connection(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """Of a spectator without a name as well; 0 while nobody ever left."""
    one.arrived(ROOM, None, "", 100)
    two.arrived(ROOM, ANN, "Ann", 100)
    await cluster.settle()
    assert [node.presence(ROOM, (), 150).last_left_ms for node in (one, two)] == [0, 0]
    one.departed(ROOM, None, 200)
    await cluster.settle()
    assert [node.presence(ROOM, (), 250).last_left_ms for node in (one, two)] == [200, 200]
    two.departed(ROOM, ANN, 300)
    await cluster.settle()
    assert [node.presence(ROOM, (), 350).last_left_ms for node in (one, two)] == [300, 300]


async def test_a_player_is_expected_for_a_while(cluster: Cluster, one: PresenceLeases, two: PresenceLeases) -> None:
    """Until a time, or until the player has come and gone; and only that player, in that room."""
    one.hold(ROOM, 100)
    one.expect(ROOM, ANN, 3_000)
    await cluster.settle()
    for node in (one, two):
        assert [node.is_expected(ROOM, ANN, at_ms) for at_ms in (200, 2_999, 3_000)] == [True, True, False]
        assert not node.is_expected(ROOM, BEN, 200)
        assert not node.is_expected("other", ANN, 200)
    assert await away(cluster, 250, one, two) == [{ANN: 100, BEN: 100}] * 2  # on the way is not here
    two.arrived(ROOM, ANN, "Ann", 300)
    two.departed(ROOM, ANN, 400)
    await cluster.settle()
    assert [node.is_expected(ROOM, ANN, 500) for node in (one, two)] == [False, False]


# --- counts ---------------------------------------------------------------------------------------------------------


async def test_connections_are_counted_on_all_nodes(cluster: Cluster, one: PresenceLeases, two: PresenceLeases) -> None:
    for node, player, name in (
        (one, ANN, "Ann"),
        (one, None, ""),
        (two, None, ""),
        (two, ANN, "Ann"),
        (two, BEN, "Ben"),
    ):
        node.arrived(ROOM, player, name, 100)
    await cluster.settle()
    for node in (one, two):
        assert node.presence(ROOM, (), 150).connections == 5
        assert node.attendance(ROOM) == Attendance(5, 2, {ANN: "Ann", BEN: "Ben"})
    two.departed(ROOM, BEN, 200)
    two.departed(ROOM, None, 200)
    await cluster.settle()
    for node in (one, two):
        assert node.presence(ROOM, (), 250).connections == 3
        assert node.attendance(ROOM) == Attendance(3, 1, {ANN: "Ann"})


async def test_a_player_counts_once(cluster: Cluster, one: PresenceLeases, two: PresenceLeases) -> None:
    """In however many rooms, on however many nodes. Spectators without a name are not players."""
    one.arrived(ROOM, ANN, "Ann", 100)
    one.arrived("other", ANN, "Ann", 100)
    two.arrived(ROOM, ANN, "Ann", 100)
    two.arrived(ROOM, BEN, "Ben", 100)
    two.arrived(ROOM, None, "", 100)
    await cluster.settle()
    assert (one.player_count(), two.player_count()) == (2, 2)
    two.departed(ROOM, BEN, 200)
    await cluster.settle()
    assert (one.player_count(), two.player_count()) == (1, 1)


async def test_a_new_name_is_shown_for_connections_that_are_there(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """On all nodes, and in that room."""
    for node in (one, two):
        node.arrived(ROOM, ANN, "Ann", 100)
        node.arrived("other", ANN, "Ann", 100)
        node.arrived(ROOM, BEN, "Ben", 100)
    one.renamed(ROOM, ANN, "Anna")
    one.renamed(ROOM, "p_eve", "Eve")
    one.renamed("unknown", ANN, "Anna")
    await cluster.settle()
    for node in (one, two):
        assert dict(node.attendance(ROOM).players) == {ANN: "Anna", BEN: "Ben"}
        assert dict(node.attendance("other").players) == {ANN: "Ann"}


# --- leases ---------------------------------------------------------------------------------------------------------


async def test_players_leave_with_the_last_beat_of_their_node(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """As soon as the node's lease is over; and they are counted nowhere then."""
    one.hold(ROOM, 1_000)
    for player, name in ((ANN, "Ann"), (None, "")):
        two.arrived(ROOM, player, name, 1_000)
    for at_ms in (1_000, 1_500):
        one.beat(at_ms)
        two.beat(at_ms)
    one.beat(1_500 + LEASE_MS)
    assert await away(cluster, 1_500 + LEASE_MS, one) == [{BEN: 1_000}]
    assert (one.player_count(), one.attendance(ROOM).connections) == (1, 2)
    one.beat(1_501 + LEASE_MS)
    assert await away(cluster, 1_501 + LEASE_MS, one) == [{ANN: 1_500, BEN: 1_000}]
    presence = one.presence(ROOM, (ANN,), 1_501 + LEASE_MS)
    assert (presence.connections, presence.last_left_ms) == (0, 1_500)
    assert (one.player_count(), one.attendance(ROOM)) == (0, NOBODY)


async def test_the_death_of_a_node_without_connections_changes_nothing(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """No connection closed, so the time of the last departure stays as it was."""
    one.arrived(ROOM, ANN, "Ann", 100)
    one.departed(ROOM, ANN, 200)
    two.hold(ROOM, 300)
    two.beat(1_000)
    at_ms = 1_001 + LEASE_MS
    one.beat(at_ms)
    assert await away(cluster, at_ms, one) == [{ANN: 200, BEN: 100}]
    assert one.presence(ROOM, (ANN,), at_ms).last_left_ms == 200


async def test_a_player_with_another_connection_stays_when_a_node_dies(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    one.arrived(ROOM, ANN, "Ann", 1_000)
    two.arrived(ROOM, ANN, "Ann", 1_000)
    one.beat(1_000)
    two.beat(1_000)
    at_ms = 1_001 + LEASE_MS
    one.beat(at_ms)
    assert await away(cluster, at_ms, one) == [{BEN: 1_000}]
    assert one.attendance(ROOM) == Attendance(1, 0, {ANN: "Ann"})


async def test_a_departure_after_the_death_of_a_node_is_newer(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """The player went over to the other node, and left there."""
    two.arrived(ROOM, ANN, "Ann", 1_000)
    two.beat(1_000)
    one.arrived(ROOM, ANN, "Ann", 1_200)
    one.departed(ROOM, ANN, 2_000)
    at_ms = 5_000 + LEASE_MS
    one.beat(at_ms)
    assert await away(cluster, at_ms, one) == [{ANN: 2_000, BEN: 1_000}]


async def test_a_node_that_was_only_slow_lives_again(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """Its players were away for others, and are back; those who left it meanwhile are not."""
    one.hold(ROOM, 1_000)
    two.arrived(ROOM, ANN, "Ann", 1_000)
    two.arrived(ROOM, BEN, "Ben", 1_000)
    two.beat(1_000)
    at_ms = 2_000 + LEASE_MS
    one.beat(at_ms)
    assert await away(cluster, at_ms, one) == [{ANN: 1_000, BEN: 1_000}]
    two.beat(at_ms + 100)
    two.departed(ROOM, BEN, at_ms + 200)
    assert await away(cluster, at_ms + 300, one, two) == [{BEN: at_ms + 200}] * 2
    assert one.attendance(ROOM) == Attendance(1, 0, {ANN: "Ann"})


# --- release --------------------------------------------------------------------------------------------------------


async def test_a_room_that_all_nodes_released_is_forgotten(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """A player of it is away since a node watches it again."""
    for node in (one, two):
        node.arrived(ROOM, ANN, "Ann", 100)
        node.departed(ROOM, ANN, 200)
        node.release(ROOM)
    await cluster.settle()
    assert one.presence(ROOM, (ANN,), 250).last_left_ms == 0
    one.hold(ROOM, 9_000)
    assert await away(cluster, 9_500, one, two) == [{ANN: 9_000, BEN: 9_000}] * 2


async def test_a_release_on_one_node_forgets_no_departure(
    cluster: Cluster, one: PresenceLeases, two: PresenceLeases
) -> None:
    """Another node still watches the room: nobody is away for longer than before."""
    one.hold(ROOM, 100)
    two.arrived(ROOM, ANN, "Ann", 200)
    two.departed(ROOM, ANN, 5_000)
    two.release(ROOM)
    assert await away(cluster, 6_000, one, two) == [{ANN: 5_000, BEN: 100}] * 2


async def test_a_room_that_is_not_held_can_be_released(cluster: Cluster, one: PresenceLeases) -> None:
    one.release(ROOM)
    one.hold(ROOM, 100)
    one.hold(ROOM, 200)  # it goes on from the first
    assert await away(cluster, 300, one) == [{ANN: 100, BEN: 100}]
