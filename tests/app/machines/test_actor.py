"""One command at a time, from the step to the commit to every screen."""

from __future__ import annotations

from noughts.app.machines.replies import MAX_CONFLICTS
from noughts.protocol.close_codes import ROOM_CLOSED
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Close, Move, Ping
from tests.support.node import ANN, BEN, EVE, Cluster, Node, raise_version
from tests.support.replies import Answer, submit

# --- one command at a time ------------------------------------------------------------------------------------------


async def test_a_command_is_shown_and_answered_once_it_is_stored(cluster: Cluster, node: Node) -> None:
    """Nobody sees a change that a power cut could take back."""
    actor = await node.game()
    screen = node.join(actor, ANN)
    await node.settle()
    screen.clear()
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Move("a", 0, "b2"))
    await node.settle()
    assert (answer.count, screen.messages, actor.room.version) == (0, [], 2)
    cluster.store.release_commits()
    await node.settle()
    assert (answer.version, answer.count, screen.events, screen.room["game"]["moves"]) == (3, 1, ["moved"], ["b2"])


async def test_commands_wait_while_a_commit_is_under_way(cluster: Cluster, node: Node) -> None:
    """They are carried out one at a time, in the order in which they came, each from what the one before left."""
    actor = await node.game()
    cluster.store.hold_commits()
    order: list[Answer] = []
    answers = [
        submit(actor, person, command, order)
        for person, command in (
            (ANN, Move("a", 0, "b2")),
            (BEN, Move("b", 1, "a1")),
            (BEN, Move("c", 1, "a2")),
            (ANN, Move("d", 2, "c3")),
            (EVE, Chat("e", "hello")),
        )
    ]
    for count in range(1, 5):
        assert cluster.store.held == 1
        cluster.store.release_commits(1)
        await node.settle()
        assert len(cluster.store.changes) == 2 + min(4, count + 1)
    cluster.store.release_commits()
    await node.settle()
    assert [answer.version for answer in answers] == [3, 4, None, 5, 5]
    assert answers[2].code == "stale"
    assert order == answers
    assert [change.expected for change in cluster.store.changes] == [0, 1, 2, 3, 4, 5]


async def test_a_step_that_fails_is_our_fault(node: Node) -> None:
    """The client gets one word, and the room goes on."""
    actor = await node.game()
    assert submit(actor, ANN, Ping("w")).code == "internal"  # type: ignore[arg-type]
    assert await actor.request(ANN, Move("a", 0, "b2")) == 3


# --- ids that were answered ok --------------------------------------------------------------------------------------


async def test_an_id_sent_twice_at_once_is_carried_out_once(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    answers = [submit(actor, ANN, Move("a", 0, "b2")) for _ in range(3)]
    await node.settle()
    assert [answer.version for answer in answers] == [3, 3, 3]
    assert len(cluster.store.changes) == 3


# --- conflicts ------------------------------------------------------------------------------------------------------


async def test_a_command_may_be_rejected_by_what_came_first(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    other = await Node(cluster, "two").registry.open(actor.id)
    await other.request(ANN, Move("a", 0, "b2"))
    order: list[Answer] = []
    answers = [
        submit(actor, person, command, order)
        for person, command in (
            (ANN, Move("b", 0, "c3")),
            (BEN, Move("c", 1, "c3")),
            (ANN, Chat("d", "hello")),
        )
    ]
    await node.settle()
    assert [(answer.code, answer.version) for answer in answers] == [("stale", None), (None, 4), (None, 4)]
    assert order == answers  # what waited kept its turn


async def test_a_room_that_changes_all_the_time_is_too_busy(cluster: Cluster, node: Node) -> None:
    actor = await node.game()
    cluster.store.hold_commits()
    answer = submit(actor, ANN, Chat("a", "hello"))
    for _ in range(MAX_CONFLICTS):
        assert answer.count == 0
        await raise_version(cluster, actor.id)
        cluster.store.release_commits(1)
        await node.settle()
    assert (answer.code, answer.count) == ("unavailable", 1)
    assert answer.rejection is not None
    assert answer.rejection.retry_ms
    cluster.store.release_commits()
    assert await actor.request(ANN, Chat("a", "hello")) == actor.room.version == 2 + MAX_CONFLICTS


# --- closed rooms ---------------------------------------------------------------------------------------------------


async def test_a_closed_room_is_shown_once_more_and_then_gone(cluster: Cluster, node: Node) -> None:
    """Everybody gets the closed view, then 4410. What waited for the room, and what comes later, is rejected."""
    actor = await node.game()
    pages = [node.join(actor, person) for person in (ANN, None)]
    await node.settle()
    answers = [submit(actor, ANN, Close("a")), submit(actor, BEN, Chat("b", "hello"))]
    await node.settle()
    for screen in pages:
        assert (screen.room["phase"], screen.events[-1], screen.code) == ("closed", "closed", ROOM_CLOSED)
    assert (answers[0].version, answers[1].code) == (3, "unknown_room")
    assert submit(actor, EVE, Chat("c", "hello")).code == "unknown_room"
    assert actor.closed
    assert node.wakes.at_ms.get(actor.id) is None
    assert await cluster.store.load(actor.id) is None


# --- time and the network ---------------------------------------------------------------------------------------------


async def test_a_flag_waits_for_the_network(cluster: Cluster, node: Node) -> None:
    actor = await node.timed_game(MoveClock(10_000))
    x = node.join(actor, ANN)
    assert x.connection.timed
    node.join(actor, BEN)
    at_ms = node.wakes.at_ms.get(actor.id)
    assert at_ms is not None
    x.connection.lag_ms = 200
    actor.lag_measured()
    (await node.game()).lag_measured()  # a game without a clock
    assert node.wakes.at_ms.get(actor.id) == at_ms + 200
