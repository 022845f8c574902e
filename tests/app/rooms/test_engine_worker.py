"""The engine on a clock: how long it searches, and its move when no worker answers."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from noughts.app.rooms.engine import CLOCK_SHARE, patience_s
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.search.pool import SearchFaultError
from noughts.errors import Rejection
from noughts.room.clock import ClockSetting, FischerClock, MoveClock
from noughts.room.commands import Move, Offer, RoomCommand
from tests.support.engine_rooms import engine_room
from tests.support.node import ANN, Cluster, Node, game_of
from tests.support.waiting import until

SECOND_MOVE = Move("b", 2, "c3")


async def second_move(node: Node, clock: ClockSetting | None, command: RoomCommand = SECOND_MOVE) -> RoomOnNode:
    """Return a game against the engine in which Ann has answered the engine's first move."""
    actor = await engine_room(node, clock, mark="X")
    await actor.request(ANN, Move("a", 0, "b2"))
    await node.wake_rooms()
    node.pool.searches[0].move(0)
    await node.settle()
    await actor.request(ANN, command)
    return actor


# --- how long -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [
        (MoveClock(60_000), 10.0),
        (MoveClock(3_000), 0.75),
        (FischerClock(60_000, 0), 60 / CLOCK_SHARE),
        (FischerClock(10_000, 0), 10 / CLOCK_SHARE),
        (FischerClock(600_000, 0), 10.0),
        (None, 10.0),
    ],
)
async def test_a_clock_bounds_the_search(
    cluster: Cluster, clock: MoveClock | FischerClock | None, seconds: float
) -> None:
    prompt = Node(cluster, think_ms=10_000, engine_pace_ms=0)
    actor = await engine_room(prompt, clock, mark="X")
    await actor.request(ANN, Move("a", 0, "b2"))
    actor.start_errands()
    await until(lambda: len(prompt.pool.searches) == 1)
    assert prompt.pool.searches[0].seconds == 10.0  # first moves are off the clock
    prompt.pool.searches[0].move(0)
    await until(lambda: actor.room.version == 3)
    await actor.request(ANN, SECOND_MOVE)
    actor.start_errands()
    await until(lambda: len(prompt.pool.searches) == 2)
    assert prompt.pool.searches[1].seconds == pytest.approx(seconds)


# --- without a worker -----------------------------------------------------------------------------------------------


async def test_a_clock_does_not_run_out_for_lack_of_a_worker(cluster: Cluster, prompt: Node) -> None:
    """In time, the engine moves without a search."""
    actor = await second_move(prompt, MoveClock(3_000))
    cluster.clock.ms += 2_990
    with capture_logs() as logs:
        await prompt.wake_rooms()
        await until(lambda: actor.room.version == 5)
    assert prompt.pool.searches[1].cancelled
    assert game_of(actor).history.ply == 4
    assert [entry["event"] for entry in logs] == ["the engine answered without a search"]
    assert prompt.metrics.faults == 0


@pytest.mark.parametrize(
    ("clock", "wait_s"), [(MoveClock(60_000), 30.0), (FischerClock(60_000, 0), 12.0), (None, None)]
)
async def test_a_clock_bounds_the_wait_for_a_worker(
    cluster: Cluster, prompt: Node, clock: MoveClock | FischerClock | None, wait_s: float | None
) -> None:
    """The part of a Fischer clock that is left must do for the rest of the game."""
    actor = await second_move(prompt, clock)
    assert patience_s(actor.room, actor.presence, cluster.clock.ms) == wait_s


async def test_a_fault_of_the_engine_does_not_end_the_game(prompt: Node) -> None:
    """It moves without a search. Another search for this position would fail again."""
    actor = await engine_room(prompt)
    await prompt.wake_rooms()
    prompt.pool.searches[0].fail(SearchFaultError("Traceback"))
    await prompt.settle()
    assert game_of(actor).history.ply == 1
    assert prompt.metrics.faults == 1


@pytest.mark.parametrize(("elapsed_ms", "moves"), [(50_000, 3), (58_500, 4)])
async def test_without_a_worker_it_tries_again_while_there_is_time(
    cluster: Cluster, prompt: Node, elapsed_ms: int, moves: int
) -> None:
    """Afterwards it moves without a search."""
    actor = await second_move(prompt, MoveClock(60_000))
    cluster.clock.ms += elapsed_ms
    prompt.pool.failure = Rejection("unavailable", "No worker.")
    await prompt.wake_rooms()
    assert game_of(actor).history.ply == moves
    assert not prompt.engine.runs


async def test_a_draw_offer_that_no_worker_judges_is_declined(cluster: Cluster, prompt: Node) -> None:
    """On a clock. The game goes on."""
    actor = await second_move(prompt, MoveClock(60_000), Offer("b", "draw"))
    cluster.clock.ms += 59_990
    await prompt.wake_rooms()
    await until(lambda: actor.room.offers == ())
    assert actor.room.phase == "playing"
