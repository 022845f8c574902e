"""The engine as a player: when it searches, when a search is called off, and what becomes of its answer."""

from __future__ import annotations

import pytest

from noughts.app.rooms.engine import accepts_draws
from noughts.app.rooms.on_node import HOLDER_WAIT_MS, RoomOnNode
from noughts.engine.verdict import Value, Verdict
from noughts.room.clock import MoveClock
from noughts.room.commands import Move, Offer, Resign
from noughts.rules.game import Game
from tests.support.engine_rooms import engine_room
from tests.support.node import ANN, BEN, THINK_MS, Cluster, Node, game_of
from tests.support.replies import submit


async def test_the_engine_moves_when_it_is_its_turn(prompt: Node) -> None:
    actor = await engine_room(prompt)
    screen = prompt.join(actor, ANN)
    await prompt.wake_rooms()
    (search,) = prompt.pool.searches
    assert (search.cells, search.level, search.seconds) == ((), "perfect", THINK_MS / 1000)
    search.move(4)
    await prompt.settle()
    assert screen.room["game"]["moves"] == ["b2"]
    assert game_of(actor).by == ("engine:perfect",)
    assert not prompt.engine.runs
    assert b"noughts_searches_total" in prompt.metrics.text()
    assert prompt.metrics.searches_discarded == 0


async def test_a_level_that_is_not_offered_plays_as_the_strongest_of_the_others(cluster: Cluster, prompt: Node) -> None:
    """Such as a stored one that needs a program which does not run here. It would search every move."""
    stored = await engine_room(prompt)
    node = Node(cluster, "two", engine_pace_ms=0, levels={"classic": ("novice", "casual")})
    actor = await node.registry.open(stored.id)
    await node.wake_rooms()
    await node.settle()
    assert node.pool.searches == []
    assert game_of(actor).by == ("engine:perfect",)


async def test_nothing_is_searched_where_no_engine_is_to_move(prompt: Node) -> None:
    friends, engine, waiting = await prompt.game(), await engine_room(prompt, mark="X"), await prompt.room()
    for actor in (friends, engine, waiting):
        actor.start_errands()
    await prompt.wake_rooms()
    assert prompt.pool.searches == []


async def test_a_move_on_its_way_goes_before_a_later_draw_offer(cluster: Cluster, prompt: Node) -> None:
    """The offer is stored first and lapses with the move: no verdict is searched for it."""
    actor = await engine_room(prompt)
    await prompt.wake_rooms()
    cluster.store.hold_commits()
    submit(actor, ANN, Offer("a", "draw"))
    prompt.pool.searches[0].move(4)
    await prompt.settle()
    cluster.store.release_commits(1)
    await prompt.wake_rooms()
    cluster.store.release_commits()
    await prompt.wake_rooms()
    assert len(prompt.pool.searches) == 1
    assert (actor.room.version, actor.room.offers) == (3, ())


async def test_an_answer_that_comes_too_late_changes_nothing(cluster: Cluster, prompt: Node) -> None:
    """The room has gone on while the answer waited for it."""
    actor = await engine_room(prompt)
    await prompt.wake_rooms()
    other = await Node(cluster, "two").registry.open(actor.id)
    await other.request(ANN, Resign("a"))
    prompt.pool.searches[0].move(4)
    await prompt.settle()
    assert actor.room.phase == "finished"
    assert game_of(actor).history.moves == ()
    assert not prompt.engine.runs
    assert (prompt.metrics.searches_discarded, prompt.metrics.faults) == (1, 0)


async def test_no_flag_waits_for_another_search(cluster: Cluster, prompt: Node) -> None:
    actor = await engine_room(prompt, MoveClock(60_000))
    cluster.clock.ms += 29_800  # of the 30 s that a first move may take
    prompt.pool.failure = OSError("no process")
    await prompt.wake_rooms()
    assert prompt.wakes.at_ms.get(actor.id) == cluster.clock.ms + 200


# --- turns ----------------------------------------------------------------------------------------------------------


async def test_a_person_has_the_turn_of_the_own_address(prompt: Node) -> None:
    actor = await engine_room(prompt)
    prompt.leave(actor, prompt.join(actor, BEN))
    actor.join(prompt.screen(BEN, "127.0.0.9").connection)
    actor.join(prompt.screen(ANN, "127.0.0.8").connection)
    await prompt.wake_rooms()
    assert prompt.pool.searches[0].caller == ("127.0.0.8", "p_ann", True)


async def test_two_engines_have_the_turn_of_their_spectators_address(prompt: Node) -> None:
    actor = await prompt.room(opponent="engines", engines=("perfect", "perfect"))
    actor.join(prompt.screen(None, "127.0.0.9").connection)
    await prompt.wake_rooms()
    assert prompt.pool.searches[0].caller == ("127.0.0.9", "p_ann", False)


async def play_against_engine(node: Node, actor: RoomOnNode, plies: int) -> None:
    """Play the first plies of a game that no side wins. Ann is X. The engine needs a search only for its first move."""
    for ply, cell in enumerate("b2 a1 c1 a3 a2 c2 b3 b1 c3".split()[:plies]):
        if ply % 2 == 0:
            await actor.request(ANN, Move(f"m{ply}", ply, cell))
        else:
            await node.wake_rooms()
            if ply == 1:
                node.pool.searches[-1].move(game_of(actor).history.variant.index_of[cell])
            await node.settle()
            assert game_of(actor).history.move_names[-1] == cell


# --- draw offers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "engine_to_move", "agreed"),
    [
        ("draw", False, True),
        ("win", False, True),
        ("loss", False, False),
        ("unknown", False, False),
        ("draw", True, True),
        ("loss", True, True),
        ("win", True, False),
    ],
)
async def test_the_engine_accepts_a_draw_by_its_verdict(
    prompt: Node, value: Value, engine_to_move: bool, agreed: bool
) -> None:
    """It accepts where it stands no better than a draw. The verdict is for the side to move."""
    actor = await engine_room(prompt, mark="X")
    await play_against_engine(prompt, actor, 6 + engine_to_move)
    await actor.request(ANN, Offer("b", "draw"))
    await prompt.wake_rooms()
    search = prompt.pool.searches[-1]
    assert search.level is None
    search.verdict(Verdict(value, None, "exact"))
    await prompt.settle()
    assert actor.room.offers == ()
    assert actor.room.phase == ("finished" if agreed else "playing")


async def test_a_draw_offer_goes_before_the_engines_move(prompt: Node) -> None:
    """The search for the move is called off, and begun again once the offer is declined."""
    actor = await engine_room(prompt)
    await prompt.wake_rooms()
    await actor.request(ANN, Offer("a", "draw"))
    await prompt.wake_rooms()
    assert prompt.pool.searches[0].cancelled
    await prompt.wake_rooms()
    assert actor.room.offers == ()
    assert [(search.level, search.cancelled) for search in prompt.pool.searches[1:]] == [("perfect", False)]


async def test_a_draw_is_declined_while_most_cells_are_empty(prompt: Node) -> None:
    """No search is needed for it."""
    actor = await engine_room(prompt, mark="X")
    await play_against_engine(prompt, actor, 4)
    searches = len(prompt.pool.searches)
    await actor.request(ANN, Offer("a", "draw"))
    await prompt.wake_rooms()
    assert len(prompt.pool.searches) == searches
    assert (actor.room.offers, actor.room.phase) == ((), "playing")


@pytest.mark.parametrize(("key", "ply"), [("classic", 5), ("4x4", 8), ("four-in-a-row", 21), ("vanishing", 6)])
def test_a_draw_needs_half_of_the_cells(key: str, ply: int) -> None:
    games = [Game.of(key)]
    while games[-1].ply < ply:
        games.append(games[-1].play(games[-1].legal()[-1]))
    assert [accepts_draws(game) for game in games[-2:]] == [False, True]


# --- two engines ----------------------------------------------------------------------------------------------------


async def test_two_engines_play_only_while_somebody_watches(cluster: Cluster, prompt: Node) -> None:
    actor = await prompt.room(opponent="engines", engines=("perfect", "perfect"))
    await prompt.wake_rooms()
    assert prompt.pool.searches == []
    screen = prompt.join(actor)
    await prompt.wake_rooms()
    prompt.pool.searches[-1].move(4)
    await prompt.wake_rooms()
    prompt.pool.searches[-1].move(0)
    await prompt.settle()
    assert screen.room["game"]["moves"] == ["b2", "a1"]
    prompt.leave(actor, screen)
    searches = len(prompt.pool.searches)
    cluster.clock.ms += 60_000
    await prompt.wake_rooms()
    assert len(prompt.pool.searches) == searches


async def test_a_node_that_is_not_the_keeper_leaves_the_search_to_the_keeper(pair: tuple[Node, Node]) -> None:
    """It begins one itself if the keeper has not moved after a while."""
    one, two = pair
    actor = await one.room(opponent="engine", engines=("perfect",), mark="O")
    other = await two.registry.open(actor.id)
    for node, held in ((one, actor), (two, other)):
        node.join(held, ANN)
    for node in pair:
        await node.hear()
    keeper, waiting = ((one, actor), (two, other)) if actor.keeps else ((two, other), (one, actor))
    one.clock.ms += one.policy.engine_pace_ms
    for node, held in (keeper, waiting):
        held.start_errands()
        await node.settle()
    assert [len(node.pool.searches) for node, _ in (keeper, waiting)] == [1, 0]
    one.clock.ms += HOLDER_WAIT_MS
    waiting[1].start_errands()
    await waiting[0].settle()
    assert len(waiting[0].pool.searches) == 1
