"""A room on this node: connections that come and go, presence, crowds at most once a second, and when it is attended to."""

from __future__ import annotations

from noughts.app.rooms.on_node import CROWD_INTERVAL_MS, HOLDER_WAIT_MS, WAIT_MS
from noughts.room.clock import MoveClock
from noughts.room.commands import Close, Move, Resign
from noughts.room.presence import Presence
from noughts.room.seat import Person
from noughts.store.presence import MAX_DEPARTURES
from tests.support.node import ANN, BEN, Cluster, Node
from tests.support.replies import submit


async def test_few_departures_are_kept(cluster: Cluster, node: Node) -> None:
    """A room does not remember every spectator who ever left. When its players left is still known."""
    actor = await node.game()
    for person in (ANN, BEN):
        node.leave(actor, node.join(actor, person))
    cluster.clock.ms += 1_000
    left_ms = []
    for number in range(3 * MAX_DEPARTURES):
        spectator = Person(f"p_{number}", "Eve")
        node.leave(actor, node.join(actor, spectator))
        left_ms.append(node.mirror.seen_ms(actor.id, spectator.player))
    assert left_ms == [cluster.clock.ms] * len(left_ms)
    kept = [number for number in range(3 * MAX_DEPARTURES) if node.mirror.seen_ms(actor.id, f"p_{number}")]
    assert len(kept) <= MAX_DEPARTURES
    assert {node.mirror.seen_ms(actor.id, person.player) for person in (ANN, BEN)} == {cluster.clock.ms - 1_000}


# --- connections ----------------------------------------------------------------------------------------------------


async def test_a_visitor_is_no_change_of_the_room(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    x, o = node.join(actor, ANN), node.join(actor, BEN)
    changes = len(cluster.store.changes)
    await node.settle()
    x.clear()
    cluster.clock.ms += 100
    node.leave(actor, o)
    await node.send_notices()
    cluster.clock.ms += 2_000
    await node.send_notices()
    away = {"present": False, "away_ms": 2_000, "claimable_in_ms": node.policy.grace_ms - 2_000}
    assert (x.crowd["seats"]["O"], x.versions) == (away, [])
    node.join(actor, BEN)
    cluster.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    assert x.crowd["seats"]["O"] == {"present": True, "away_ms": None, "claimable_in_ms": None}
    assert (actor.room.version, len(cluster.store.changes)) == (2, changes)


async def test_an_owner_sees_at_once_that_a_seat_can_be_freed(node: Node) -> None:
    """Between games the room is sent again, under its old version, as a player comes and goes."""
    actor = await node.game()
    x, o = node.join(actor, ANN), node.join(actor, BEN)
    await actor.request(BEN, Resign("a"))
    await node.settle()
    assert "free:O" not in x.can
    node.leave(actor, o)
    await node.settle()
    assert ("free:O" in x.can, x.versions[-1]) == (True, 3)
    node.join(actor, BEN)
    await node.settle()
    assert "free:O" not in x.can


async def test_nothing_is_shown_of_who_leaves_a_closed_room(node: Node) -> None:
    actor = await node.game()
    x, o = node.join(actor, ANN), node.join(actor, BEN)
    await actor.request(ANN, Close("a"))
    await node.settle()
    o.clear()
    node.crowds.set(actor.id, None)
    node.leave(actor, x)
    await node.settle()
    assert (o.messages, node.crowds.at_ms.get(actor.id)) == ([], None)


async def test_a_request_over_http_is_a_sign_of_life(cluster: Cluster, node: Node) -> None:
    """Of a player without a connection; one who is connected needs none."""
    actor = await node.game()
    cluster.clock.ms += 20_000
    node.join(actor, ANN)
    for player in (ANN.player, BEN.player):
        actor.note_request(player)
    actor.presence_changed()
    assert actor.presence.away == {BEN.player: cluster.clock.ms}


async def test_the_lag_of_a_player_counts_where_a_clock_runs(node: Node) -> None:
    """The least of several connections."""
    timed, untimed = await node.timed_game(MoveClock(60_000)), await node.game()
    for actor in (timed, untimed):
        for lag_ms in (200, 100, 300):
            node.join(actor, ANN).connection.lag_ms = lag_ms
        actor.lag_measured()
    assert (timed.presence.lag_of(ANN.player), untimed.presence.lag_of(ANN.player)) == (100, 0)


# --- the crowd ------------------------------------------------------------------------------------------------------


async def test_a_crowd_is_sent_at_most_once_a_second(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    x = node.join(actor, ANN)
    await node.send_notices()
    cluster.clock.ms += CROWD_INTERVAL_MS
    await node.send_notices()
    x.clear()
    for _ in range(5):
        node.join(actor)
        await node.send_notices()
    assert [crowd["spectators"] for crowd in x.of("crowd")] == []
    cluster.clock.ms += CROWD_INTERVAL_MS - 1
    await node.send_notices()
    assert x.of("crowd") == []
    cluster.clock.ms += 1
    await node.send_notices()
    assert [crowd["spectators"] for crowd in x.of("crowd")] == [5]
    cluster.clock.ms += 10 * CROWD_INTERVAL_MS
    await node.send_notices()
    assert len(x.of("crowd")) == 1  # nothing has changed


# --- time -----------------------------------------------------------------------------------------------------------


async def test_a_node_that_does_not_keep_a_room_waits_for_longer(cluster: Cluster, node: Node) -> None:
    """The keeper acts first, and the engine moves on the keeper's node. A room at rest has no deadline on any node."""
    now_ms = cluster.clock.ms
    engine = await node.room(opponent="engine", engines=("novice",), mark="O")
    hurried = await node.room(MoveClock(60_000), opponent="engine", engines=("novice",), mark="O")
    timed, resting = await node.timed_game(MoveClock(60_000)), await node.game()
    engine_ms, flag_ms = now_ms + node.policy.engine_pace_ms, now_ms + 30_000  # the first move's
    for actor, at_ms in (
        (engine, engine_ms + HOLDER_WAIT_MS),
        (hurried, flag_ms + WAIT_MS),
        (timed, now_ms + 60_000 + WAIT_MS),
        (resting, None),
    ):
        actor.presence, actor.keeps = Presence(connections=1), False
        assert actor.wake_at_ms() == at_ms


async def test_a_value_is_idle_only_when_nothing_would_be_lost(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    idle = [actor.idle]
    screen = node.join(actor)
    idle.append(actor.idle)
    node.leave(actor, screen)
    idle.append(actor.idle)
    cluster.store.hold_commits()
    submit(actor, ANN, Move("a", 0, "b2"))
    idle.append(actor.idle)
    cluster.store.release_commits()
    await node.settle()
    idle.append(actor.idle)
    assert idle == [True, False, True, False, True]
