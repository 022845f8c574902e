"""What several players, or several nodes, do at the same moment happens once."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import AsyncExitStack
from typing import Final

import pytest

from noughts.app.runtime.admin_secret import read_secrets
from tests.support.ledger import CELLS
from tests.support.node_processes import Nodes
from tests.support.player import Api, Message, Socket, enter, friends_room, guest
from tests.support.rooms import engine_room, until_crowd

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS: Final = {"NOUGHTS_GRACE_MS": "1000"}
"""A player who has been away for a second can be claimed against."""
RACES: Final = 100
"""Races in one game. At most 110 cells belong to a side, so that both racers always have a cell."""


def moves_of(view: Message) -> list[str]:
    return [move if isinstance(move, str) else move["cell"] for move in view["game"]["moves"]]


async def race_through_a_game(nodes: Nodes, races: int) -> None:
    """Let each side move from both nodes at once: one of the two is accepted, and the version rises by one."""
    ann, ben = await guest(nodes.one.url, "Ann"), await guest(nodes.two.url, "Ben")
    answer = await friends_room(nodes.one, ann, variant="gomoku")
    room = answer["room"]["id"]
    async with AsyncExitStack() as stack:
        sockets = [
            [await stack.enter_async_context(enter(node, room, api)) for node in nodes.both] for api in (ann, ben)
        ]
        await sockets[1][0].ok("sit", mark="O", invite=answer["invite"])
        version = (await sockets[0][0].until_room(lambda view: view["phase"] == "playing"))["version"]
        cells = [list(CELLS[side::2]) for side in (0, 1)]
        for ply in range(races):
            side = sockets[ply % 2]
            pair = [cells[ply % 2].pop() for _ in side]
            for socket in side:
                await socket.until_room(lambda view, version=version: view["version"] >= version)  # type: ignore[misc]
            answers = await asyncio.gather(
                *[socket.ask("move", game=1, ply=ply, cell=cell) for socket, cell in zip(side, pair, strict=True)]
            )
            assert sorted(answer["type"] for answer in answers) == ["ok", "rejected"], answers
            won = [answer["type"] for answer in answers].index("ok")
            assert answers[1 - won]["code"] == "stale", answers
            cells[ply % 2].insert(0, pair[1 - won])
            version += 1
            assert answers[won]["version"] == version
            view = await side[0].until_room(lambda view, version=version: view["version"] >= version)  # type: ignore[misc]
            assert len(moves_of(view)) == ply + 1
            assert moves_of(view)[-1] == pair[won]


@pytest.mark.parametrize("games", [1, pytest.param(10, marks=pytest.mark.long)])
async def test_two_nodes_race_for_each_version(nodes: Nodes, games: int) -> None:
    """A hundred times, and a thousand in the long form."""
    for _ in range(games):
        await race_through_a_game(nodes, RACES)


async def test_one_of_fifty_players_gets_the_seat(nodes: Nodes) -> None:
    ann = await guest(nodes.one.url, "Ann")
    answer = await friends_room(nodes.one, ann)
    room = answer["room"]["id"]
    async with AsyncExitStack() as stack:
        players = await asyncio.gather(*[guest(nodes.both[n % 2].url, f"P{n}") for n in range(50)])
        sockets = [
            await stack.enter_async_context(enter(nodes.both[number % 2], room, api))
            for number, api in enumerate(players)
        ]
        answers = await asyncio.gather(*[socket.ask("sit", mark="O", invite=answer["invite"]) for socket in sockets])
        codes = sorted(answer.get("code", "ok") for answer in answers)
        assert codes == ["ok"] + ["seat_taken"] * 49
        winner = players[[answer["type"] for answer in answers].index("ok")].player["id"]
        for socket in sockets:
            view = await socket.until_room(lambda view: view["phase"] == "playing")
            assert view["seats"]["O"]["player"] == winner, view["seats"]


async def test_a_code_of_the_admin_page_opens_one_session(nodes: Nodes) -> None:
    """Every node accepts the session, and no node after its end."""
    code = (await Api(*read_secrets(nodes.one.data)[0]).post("/admin/codes"))["code"]
    tries = [Api(node.url).call("POST", "/admin/session", {"code": code}) for node in 4 * nodes.both]
    answers = sorted(await asyncio.gather(*tries), key=lambda answer: answer[0])
    assert [status for status, _ in answers] == [201, *[404] * 7]
    one, two = [Api(node.url, answers[0][1]["session"]) for node in nodes.both]
    for page in (one, two):
        await page.get("/admin/rooms")
    await two.post("/admin/session/end")
    assert (await one.call("GET", "/admin/rooms"))[0] == 404


async def test_strangers_on_two_nodes_meet(nodes: Nodes) -> None:
    """Twelve players who want the same game at the same moment make six pairs."""
    players = await asyncio.gather(*[guest(nodes.both[n % 2].url, f"Q{n}") for n in range(12)])
    answers = await asyncio.gather(*[api.post("/api/quickplay", {"variant": "misere"}) for api in players])
    rooms = [answer["room"]["id"] for answer in answers]
    assert sorted(rooms.count(room) for room in set(rooms)) == [2] * 6


async def test_chat_from_all_sides_has_no_gaps(nodes: Nodes) -> None:
    """Each client of either node gets each line once, in the order of its numbers."""
    ann = await guest(nodes.one.url, "Ann")
    room = (await friends_room(nodes.one, ann, visibility="public"))["room"]["id"]
    async with AsyncExitStack() as stack:
        players = [await guest(nodes.both[n % 2].url, f"C{n}") for n in range(6)]
        sockets = [
            await stack.enter_async_context(enter(nodes.both[number % 2], room, api))
            for number, api in enumerate(players)
        ]
        await asyncio.gather(*[speak(socket, number, 10) for number, socket in enumerate(sockets)])
        for socket in sockets:
            while len(lines_of(socket)) < 60:
                await socket.receive()
            assert [line["n"] for line in lines_of(socket)] == list(range(1, 61))
            assert len({line["text"] for line in lines_of(socket)}) == 60


async def speak(socket: Socket, number: int, lines: int) -> None:
    for line in range(lines):
        answer = await socket.ask("chat", text=f"{number} says {line}")
        assert answer["type"] == "ok", answer


def lines_of(socket: Socket) -> list[Message]:
    return [line for message in socket.seen if message["type"] == "chat" for line in message["lines"]]


async def test_a_flag_falls_once(nodes: Nodes) -> None:
    """All nodes that hold the room see the time run out, none of them early. One change of the room comes of it."""
    ann, ben = await guest(nodes.one.url, "Ann"), await guest(nodes.two.url, "Ben")
    answer = await friends_room(nodes.one, ann, clock={"mode": "move", "move_ms": 3_000})
    room = answer["room"]["id"]
    async with enter(nodes.one, room, ann) as x, enter(nodes.two, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        for ply, (socket, cell) in enumerate(((x, "b2"), (o, "a1"))):
            await socket.until_room(lambda view, ply=ply: view["game"] and len(view["game"]["moves"]) == ply)  # type: ignore[misc]
            began_s = time.monotonic()
            await socket.move(cell)
        version = o.room["version"]
        for socket in (x, o):
            view = await socket.until_room(lambda view: view["game"]["outcome"] is not None)
            assert view["game"]["outcome"]["winner"] == "O"
            assert view["version"] == version + 1
            assert time.monotonic() - began_s > 2.9
        await asyncio.sleep(0.5)  # the other node's delay for a deadline of the keeper is 150 ms
        assert (await Api(nodes.two.url).get(f"/api/rooms/{room}"))["version"] == version + 1


async def test_a_claim_is_made_once(nodes: Nodes) -> None:
    """A player claims through both nodes at once. Before that, both nodes see that the opponent can be claimed against."""
    ann, ben = await guest(nodes.one.url, "Ann"), await guest(nodes.two.url, "Ben")
    answer = await friends_room(nodes.one, ann)
    room = answer["room"]["id"]
    async with enter(nodes.one, room, ann) as here, enter(nodes.two, room, ann) as there:
        async with enter(nodes.two, room, ben) as o:
            await o.ok("sit", mark="O", invite=answer["invite"])
            playing = o.room["version"]
        for socket in (here, there):
            await socket.until(lambda message: message["type"] == "room" and "claim:win" in message["you"]["can"])
            assert socket.room["version"] == playing + 1
        answers = await asyncio.gather(*[socket.ask("claim", what="win", game=1) for socket in (here, there)])
        assert sorted(answer["type"] for answer in answers) == ["ok", "rejected"], answers
        for socket in (here, there):
            view = await socket.until_room(lambda view: view["game"]["outcome"] is not None)
            assert (view["game"]["outcome"]["winner"], view["version"]) == ("X", playing + 2)
        assert (await Api(nodes.two.url).get(f"/api/rooms/{room}"))["version"] == playing + 2


async def test_one_node_searches_for_a_move(nodes: Nodes) -> None:
    """Both nodes hold the rooms of an engine. The searches of both together are as many as its moves."""
    ann = await guest(nodes.one.url, "Ann")
    before, moves = await searches(nodes), 0
    for _ in range(4):
        room = (await engine_room(nodes.one, ann, variant="5x5", level="novice"))["room"]["id"]
        async with enter(nodes.one, room, ann) as x, enter(nodes.two, room) as spectator:
            await until_crowd(x, lambda crowd: crowd["spectators"] == 1)  # from now on, both nodes know the keeper
            for _ in range(3):
                view = await x.until_room(lambda view: view["game"]["turn"] in ("X", None))
                if view["game"]["turn"] is None:
                    break
                await x.move(view["game"]["legal"][0])
            view = await spectator.until_room(lambda view: view["game"]["turn"] == "X" and len(moves_of(view)) >= 6)
            moves += len(moves_of(view)) // 2
    assert await searches(nodes) - before == moves


async def searches(nodes: Nodes) -> int:
    """Return how many searches both nodes have done."""
    total = 0.0
    for node in nodes.both:
        _, text = await Api(node.url).call("GET", "/metrics")
        total += sum(float(number) for number in re.findall(r"^noughts_searches_total\{.*\} (\S+)$", text, re.M))
    return int(total)
