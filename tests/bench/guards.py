"""What the limits cost a move: the same server with and without them, in turn, played by many addresses.

``NOUGHTS_LIMITS=off`` leaves out the credits of sockets, players and addresses, and the metering of bytes. Each player has
an address of its own. The pauses between rounds give it new credit.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
from typing import Any, Final

import aiohttp

from tests.bench import command_line
from tests.bench.figures import Figure
from tests.bench.moves import measure_round
from tests.bench.noughts_server import Noughts, NoughtsRoom
from tests.bench.room import Room
from tests.bench.websocket import WebSocket, connect

CREDIT_S: Final = 0.9
"""The pause after a round, in which a player has its credit again: ten messages a second."""
_NEW_GAME: Final = b'"moves":[]'
_addresses = itertools.count(1)


class Guarded(Noughts):
    """A server whose players have addresses of their own."""

    async def open_room(self, number: int) -> NoughtsRoom:
        x, o = [f"127.{30 + n // 62_500}.{n // 250 % 250}.{1 + n % 250}" for n in (next(_addresses), next(_addresses))]
        first = str((await self._post_from(x, "/api/players", {}))["token"])
        second = str((await self._post_from(o, "/api/players", {}))["token"])
        body = {"variant": "classic", "opponent": "friend", "mark": "X"}
        answer = await self._post_from(x, "/api/rooms", body, first)
        room = str(answer["room"]["id"])
        sockets = (await self._enter_from(x, room, first), await self._enter_from(o, room, second))
        sockets[1].send(json.dumps({"type": "sit", "id": "sit", "mark": "O", "invite": answer["invite"]}))
        await sockets[1].until_each(b'{"type":"ok"', _NEW_GAME)
        await sockets[0].until_each(_NEW_GAME)
        return NoughtsRoom(room, sockets)

    async def _post_from(self, address: str, path: str, body: object, token: str = "") -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connector = aiohttp.TCPConnector(local_addr=(address, 0))
        async with (
            aiohttp.ClientSession(connector=connector) as session,
            session.post(self.url + path, json=body, headers=headers) as response,
        ):
            answer: dict[str, Any] = await response.json()
            assert response.status in (200, 201), answer
            return answer

    async def _enter_from(self, address: str, room: str, token: str) -> WebSocket:
        socket = await connect(self.ws_url, address)
        socket.send(json.dumps({"type": "hello", "protocol": 1, "room": room, "token": token}))
        await socket.until(b'{"type":"room"')
        return socket


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the CPU of a move with the limits beside that without them."""
    servers = [
        Guarded(arguments.tree, "with limits", settings={"NOUGHTS_LIMITS": "on"}),
        Guarded(arguments.tree, "without limits", settings={"NOUGHTS_LIMITS": "off"}),
    ]
    rooms: list[list[Room]] = []
    costs: list[list[float]] = [[], []]
    try:
        for server in servers:
            await server.start()
            rooms.append(await server.open_rooms(arguments.rooms))
        for number in range(arguments.rounds + arguments.warm_up):
            order = (0, 1) if number % 2 else (1, 0)
            for index in order:
                cost = await measure_round(servers[index], rooms[index])
                if number >= arguments.warm_up:
                    costs[index].append(cost)
                await asyncio.sleep(CREDIT_S / 2)
            if number >= arguments.warm_up:
                print(f"round {number}: {costs[0][-1]:.1f} with limits, {costs[1][-1]:.1f} without", flush=True)
    finally:
        for some in rooms:
            for room in some:
                room.close()
        for server in servers:
            await server.stop()
    ratios = [with_ / without for with_, without in zip(*costs, strict=True)]
    return [
        Figure("CPU of a move with limits", "µs", costs[0], "without limits", costs[1], 1.03),
        Figure("  the same, by round", "ratio", ratios),
    ]


def main() -> None:
    parser = command_line.options(__doc__)
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=5)
    command_line.run(measure, parser)


if __name__ == "__main__":
    main()
