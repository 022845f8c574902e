"""The engine and the swap rule: it takes over a first move that wins, and makes none."""

from __future__ import annotations

import pytest

from noughts.app.rooms.on_node import RoomOnNode
from noughts.engine.budget import Budget
from noughts.engine.engine import analyse
from noughts.room.commands import Move
from noughts.room.seat import EngineSeat
from noughts.rules.game import replay
from noughts.rules.variant import VARIANTS
from tests.support.node import ANN, Node, game_of

VANISHING = VARIANTS["vanishing"]
EDGES = ("b1", "a2", "c2", "b3")


async def swap_room(node: Node, mark: str) -> RoomOnNode:
    """Make a game of vanishing against the engine with the swap rule, Ann at the mark."""
    return await node.room(opponent="engine", engines=("perfect",), variant=VANISHING, swap=True, mark=mark)


async def let_search(node: Node, cell: str) -> None:
    """Let the engine search. Its verdicts are true, and of all moves it would choose this one."""
    await node.wake_rooms()
    while searches := [search for search in node.pool.searches if not search.future.done()]:
        for search in searches:
            if search.level is None:
                position = replay(VANISHING, search.cells).position
                search.verdict(analyse(position, Budget(60.0, lambda: 0.0)).verdict)
            else:
                search.move(VANISHING.names.index(cell))
        await node.settle()


@pytest.mark.parametrize(("opening", "swaps"), [("b1", True), ("b2", False)])
async def test_the_engine_swaps_where_the_first_move_wins(prompt: Node, opening: str, swaps: bool) -> None:
    """After an edge X has won; after the centre it has not."""
    actor = await swap_room(prompt, "X")
    await actor.request(ANN, Move("a", 0, opening))
    await let_search(prompt, "a1")
    game = game_of(actor)
    assert (game.swapped, isinstance(actor.room.seats.X, EngineSeat)) == (swaps, swaps)
    assert game.history.move_names == ((opening,) if swaps else (opening, "a1"))


@pytest.mark.parametrize("chosen", [*EDGES, "b2"])
async def test_the_engine_opens_with_no_move_that_is_taken_over(prompt: Node, chosen: str) -> None:
    """It keeps the move that its level chose if that one does not win."""
    actor = await swap_room(prompt, "O")
    await let_search(prompt, chosen)
    (opening,) = game_of(actor).history.move_names
    assert opening not in EDGES
    assert (opening == chosen) == (chosen == "b2")


async def test_an_engine_takes_over_no_opening_of_another(prompt: Node) -> None:
    """What the one opens with, the other leaves to it."""
    opener = await swap_room(prompt, "O")
    await let_search(prompt, EDGES[0])
    (opening,) = game_of(opener).history.move_names
    replier = await swap_room(prompt, "X")
    await replier.request(ANN, Move("a", 0, opening))
    await let_search(prompt, "a1" if opening != "a1" else "c3")
    game = game_of(replier)
    assert (game.swapped, len(game.history.moves)) == (False, 2)
