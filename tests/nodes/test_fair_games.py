"""Two friends on two nodes play a series, swap sides and give time. Each command counts once, whichever node is first."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.node_processes import Nodes
from tests.support.player import enter
from tests.support.rooms import pair

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOCK = {"mode": "fischer", "initial_ms": 600_000, "increment_ms": 0}
WINS = 2
GAMES = 2 * WINS - 1
"""The players lose by turns, so who loses the first game loses the last one too."""


async def test_a_series_whose_swaps_are_raced_by_resignations(nodes: Nodes) -> None:
    """The player of X resigns on one node while O swaps on both. Swapped or not, the player who resigned loses."""
    async with (
        pair(nodes.one, nodes.two, variant="vanishing", first_to=WINS, swap=True, clock=CLOCK) as room,
        enter(nodes.two, room.id, room.ann) as ann_too,
        enter(nodes.one, room.id, room.ben) as ben_too,
    ):
        players = ((room.x, ann_too), (room.o, ben_too))
        for number in range(1, GAMES + 1):
            (mover, mover_too), (other, other_too) = players if number % 2 else players[::-1]
            await mover.until_room(lambda view, n=number: view["game"]["number"] == n)  # type: ignore[misc]
            await mover.move("b1")
            for socket in (mover_too, other, other_too):
                await socket.until_room(lambda view, n=number: view["game"]["number"] == n and view["game"]["moves"])  # type: ignore[misc]
            gifts = [socket.ask("give_time", id=f"g{number}", game=number) for socket in (other, other_too)]
            assert [answer["type"] for answer in await asyncio.gather(*gifts)] == ["ok", "ok"]
            resigned, swap, again = await asyncio.gather(
                mover.ask("resign", game=number),
                other.ask("swap", id=f"s{number}", game=number, ply=1),
                other_too.ask("swap", id=f"s{number}", game=number, ply=1),
            )
            assert resigned["type"] == "ok"
            assert swap["type"] == again["type"]
            for socket in (mover, mover_too, other, other_too):
                view = await socket.until_room(lambda view: view["phase"] == "finished")
                assert view["game"]["swapped"] == (swap["type"] == "ok")
                loser, winner = ("O", "X") if view["game"]["swapped"] else ("X", "O")
                assert view["game"]["outcome"]["winner"] == winner
                assert (view["clock"][f"{loser}_ms"], view["clock"][f"{winner}_ms"]) == (615_000, 600_000)
                assert view["series"]["games"] == number
            if number < GAMES:
                await other.ok("offer", what="rematch", game=number)
                await mover.ok("offer", what="rematch", game=number)
        assert view["series"] == {"first_to": WINS, "games": GAMES, "winner": room.ben.player["id"], "over": True}
