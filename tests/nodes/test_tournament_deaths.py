"""An arena on three nodes that die again and again: it goes on, no result is lost, and nobody plays two matches at once."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.support.node_processes import node_processes
from tests.support.player import Api
from tests.support.redis_server import RedisFarm
from tests.support.server import RunningServer
from tests.support.tournament_client import Cup, check_results, new_cup, playing

GUESTS: Final = 24
DEATHS: Final = 6
PAIRED_S: Final = 6.0
"""After the death of a node, pairing goes on within this time."""


async def matches_after_a_death(cup: Cup, node: RunningServer) -> None:
    """Wait for new matches in time. Check that nobody plays two at a time."""
    before, began_s = len(await cup.matches(node)), time.monotonic()
    while True:
        matches = await cup.matches(node)
        sides = [side["entrant"] for match in matches if match["state"] == "playing" for side in match["entrants"]]
        assert len(sides) == len(set(sides))
        if len(matches) > before + 2:
            return
        assert time.monotonic() - began_s < PAIRED_S
        await asyncio.sleep(0.1)


async def check_records(cup: Cup, node: RunningServer) -> Sequence[object]:
    """Check that the standings follow from the matches, and the matches from the games. Return the standings."""
    standings, matches = await cup.standings(node), await cup.matches(node)
    check_results(standings, matches)
    api = Api(node.url)
    for match in matches:
        for game in match["games"]:
            record = await api.get(f"/api/rooms/{match['room']}/games/{game['number']}")
            assert record["outcome"]["reason"] == game["reason"]
    return [(row["entrant"], row["points"], row["rank"]) for row in standings]


@pytest.mark.long
async def test_an_arena_goes_on_when_nodes_die(farm: RedisFarm, tmp_path: Path) -> None:
    rng = random.Random(1)
    async with node_processes(tmp_path, [farm.server().url] * 3) as nodes:
        cup = await new_cup(nodes[0])
        entrants = await cup.entrants(GUESTS, nodes)
        for entrant in entrants:
            entrant.pause_s = rng.uniform(0.05, 0.3)
        async with playing(entrants):
            await cup.ok("start")
            for death in range(DEATHS):
                await asyncio.sleep(2.0)
                dead = nodes[death % 3]
                others = [node for node in nodes if node is not dead]
                await asyncio.to_thread(dead.kill)
                for entrant in entrants:
                    if entrant.server is dead:
                        entrant.server = rng.choice(others)
                await matches_after_a_death(cup, others[0])
                await asyncio.to_thread(dead.start)
                for entrant in entrants[death % 3 :: 3]:
                    entrant.server = dead
            await cup.ok("stop", nodes[1])
            await cup.until_over(server=nodes[1])
        first, *rest = [await check_records(cup, node) for node in nodes]
        assert rest == [first, first]
