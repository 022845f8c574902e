"""One tournament on two nodes: entrants of both meet, each game counts once, and the death of a node stops nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

import pytest

from tests.support.node_processes import Nodes
from tests.support.player import Api
from tests.support.server import RunningServer
from tests.support.tournament_client import Cup, check_results, new_cup, playing, until_tournament

pytestmark = pytest.mark.asyncio(loop_scope="module")

MATCHES: Final = {"arena": 6, "round_robin": 6, "knockout": 3}
"""The fewest matches of four entrants in each mode."""
PAIRED_S: Final = 6.0
"""After the death of a node, pairing goes on within this time."""


async def check_games(cup: Cup, server: RunningServer) -> None:
    standings, matches = await cup.standings(server), await cup.matches(server)
    check_results(standings, matches)
    api = Api(server.url)
    for match in matches:
        for game in match["games"]:
            record = await api.get(f"/api/rooms/{match['room']}/games/{game['number']}")
            assert record["outcome"]["reason"] == game["reason"]


async def on_both(cup: Cup, nodes: Nodes, name: str) -> Sequence[str]:
    """Return a part of the standings as both nodes tell it."""
    return [str([row[name] for row in await cup.standings(node)]) for node in nodes.both]


async def test_entrants_of_both_nodes_meet(nodes: Nodes) -> None:
    """In one tournament of each mode at the same time."""
    await asyncio.gather(*[play_to_the_end(nodes, mode, count) for mode, count in MATCHES.items()])


async def play_to_the_end(nodes: Nodes, mode: str, count: int) -> None:
    cup = await new_cup(nodes.one, mode)
    entrants = await cup.entrants(4, nodes.both)
    async with playing(entrants):
        await cup.ok("start", nodes.two)
        if mode == "arena":
            await cup.until_matches(count)
            await cup.ok("stop", nodes.one)
        await cup.until_over(server=nodes.two)
    one, two = await on_both(cup, nodes, "points")
    assert one == two
    for node in nodes.both:
        await check_games(cup, node)
    assert len(await cup.matches()) >= count


async def test_a_pin_is_known_on_every_node(nodes: Nodes) -> None:
    cups = await asyncio.gather(*[new_cup(nodes.both[number % 2]) for number in range(8)])
    assert len({cup.pin for cup in cups}) == len(cups)
    for cup in cups:
        for node in nodes.both:
            answer = await Api(node.url).post("/api/tournaments/find", {"pin": cup.pin})
            assert answer["tournament"]["id"] == cup.id


async def test_both_nodes_send_a_change(nodes: Nodes) -> None:
    cup = await new_cup(nodes.one)
    await cup.entrants(2, nodes.both)
    async with cup.socket(server=nodes.one) as one, cup.socket(server=nodes.two) as two:
        await one.ask("rename", entrant=1, name="Anna")
        for socket in (one, two):
            await until_tournament(socket, lambda message: message["top"][0]["name"] == "Anna")
        answer = await one.ask("extend", id="x", minutes=5)
        assert answer["code"] == "forbidden"
        first = await one.ask("start", id="y")
        assert await two.ask("start", id="y") == first


async def test_pairing_goes_on_when_a_node_dies(nodes: Nodes) -> None:
    cup = await new_cup(nodes.two)
    entrants = await cup.entrants(7, nodes.both)
    try:
        async with playing(entrants):
            await cup.ok("start", nodes.one)
            await cup.until_matches(2)
            nodes.one.kill()
            began_s = time.monotonic()
            for entrant in entrants:
                entrant.server = nodes.two
            before = len(await cup.matches())
            while len(await cup.matches()) < before + 3:
                assert time.monotonic() - began_s < PAIRED_S
                await asyncio.sleep(0.05)
            await cup.ok("stop")
            await cup.until_over()
    finally:
        if nodes.one.process is None:
            await asyncio.to_thread(nodes.one.start)
    await check_games(cup, nodes.two)


async def test_a_tournament_goes_on_after_the_death_of_redis(nodes: Nodes) -> None:
    cup = await new_cup(nodes.one)
    entrants = await cup.entrants(6, nodes.both)
    async with playing(entrants):
        await cup.ok("start")
        await asyncio.sleep(1.0)
        nodes.redis.kill()
        await asyncio.sleep(0.5)
        nodes.redis.start()
        await asyncio.sleep(3.0)
        for _ in range(20):
            answer = await cup.command("stop", id="stop")
            if answer["type"] == "ok":
                break
            await asyncio.sleep(0.2)
        await cup.until_over()
    await check_games(cup, nodes.two)
