"""CPU that a program spends for a move through ``noughts.client``, beside bare ``websockets`` for the same bytes.

The server repeats one answer: see ``tests/bench/repeating_server.py``. Both clients wait for the ``ok`` of each move. The
client of Noughts also decodes each view and looks at its legal cells.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Final

from websockets.asyncio.client import ClientConnection, connect

from noughts.client.room import Room
from noughts.protocol.codec import encode
from noughts.protocol.messages import PROTOCOL, Hello
from noughts.room.commands import Move
from tests.bench import command_line
from tests.bench.child import Child
from tests.bench.figures import Figure
from tests.bench.noughts_server import TREE
from tests.bench.repeated_view import VIEW

MOVES: Final = 100
"""Moves of a round."""
ROUNDS: Final = 12


async def through_client(room: Room) -> float:
    """Return the µs of CPU of this process for a move."""
    begun = time.process_time_ns()
    for _ in range(MOVES):
        game = room.view.game
        assert game is not None
        await room.move(game.legal[0])
    return (time.process_time_ns() - begun) / MOVES / 1_000


async def through_websockets(socket: ClientConnection) -> float:
    """Return the µs of CPU of this process for a move that it neither encodes nor decodes."""
    texts = [encode(Move(f"abcdefghijkl-{number}", 0, "a1", 1)).decode() for number in range(MOVES)]
    begun = time.process_time_ns()
    for text in texts:
        await socket.send(text)
        while not (await socket.recv(decode=False)).startswith(b'{"type":"ok"'):
            pass
    return (time.process_time_ns() - begun) / MOVES / 1_000


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the CPU of a move through both, in turns."""
    server = Child([sys.executable, "-m", "tests.bench.repeating_server"], r"port (\d+)", {}, TREE)
    client, bare = [], []
    try:
        await server.start()
        url = f"ws://127.0.0.1:{server.address}/ws"
        async with (
            Room(url, None, VIEW, url, url, None) as room,
            connect(url, compression=None, proxy=None, ping_interval=None) as socket,
        ):
            await socket.send(encode(Hello(PROTOCOL, room=VIEW.id)), text=True)
            for number in range(ROUNDS + 1):
                costs = await through_client(room), await through_websockets(socket)
                if number:  # the first round warms up
                    client.append(costs[0])
                    bare.append(costs[1])
    finally:
        server.stop()
    return [
        Figure("CPU of a program for a move through noughts.client", "µs", client, "bare websockets", bare, 2.0),
        Figure("  bare websockets, the same bytes", "µs", bare),
    ]


def main() -> None:
    command_line.run(measure, command_line.options(__doc__))


if __name__ == "__main__":
    main()
