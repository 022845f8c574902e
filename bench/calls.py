"""The Python calls of a move on the event loop's thread, by folder and file: a figure without noise.

``python -m bench calls [PATH]`` plays 450 moves in one room of this checkout or another one. Two players see each move
once it is durable. The server counts with ``sys.setprofile`` while a game is on. The game with the fewest calls is shown,
because the other games also count what the server does each second.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench import command_line
from bench.figures import Figure
from bench.noughts_server import TREE, Noughts
from bench.subject import GAME

GAMES: Final = 50
PAUSE_S: Final = 0.02
COUNTS: Final = "counts.json"

_COUNTER: Final = f"""
import json, os, signal, sys
from collections import Counter

counts = Counter()

def count(frame, event, argument):
    if event == "call":
        code = frame.f_code
        counts[code.co_filename + ":" + code.co_qualname] += 1

def toggle(number, frame):
    if sys.getprofile() is None:
        counts.clear()
        sys.setprofile(count)
    else:
        sys.setprofile(None)
        with open("{COUNTS}.new", "w") as file:
            json.dump(counts, file)
        os.replace("{COUNTS}.new", "{COUNTS}")

signal.signal(signal.SIGUSR1, toggle)
from noughts.command_line import main
sys.argv[0] = "noughts"
main()
"""
"""The program of the server that counts. The first signal begins to count, the next one writes the counts to a file."""


class Counted(Noughts):
    """A server that counts its calls between two signals."""

    program = ("-c", _COUNTER)

    async def toggle(self) -> None:
        """Begin or end counting. No move is on its way."""
        await asyncio.sleep(PAUSE_S)
        os.kill(self.child.pid, signal.SIGUSR1)
        await asyncio.sleep(PAUSE_S)

    def counts(self) -> Counter[str]:
        """Return how often each function was called, by its file and name."""
        return Counter(json.loads((self.folder / COUNTS).read_text()))


async def measure(arguments: argparse.Namespace) -> list[Figure]:
    """Return the calls and the files of a move, in all and by folder."""
    server = Counted(arguments.path.resolve())
    await server.start()
    try:
        room = await server.open_room(0)
        games = []
        for _ in range(GAMES):
            room.prepare()
            await server.toggle()
            await room.play()
            await server.toggle()
            games.append(server.counts())
            await room.renew()
        room.close()
    finally:
        await server.stop()
    return figures(games, arguments)


def figures(games: Sequence[Counter[str]], arguments: argparse.Namespace) -> list[Figure]:
    """Return the figures of the game with the fewest calls, and print its functions on request."""
    game = min(games, key=Counter.total)
    product = f"{arguments.path.resolve()}/server/noughts/"
    by_file: Counter[str] = Counter()
    by_folder: Counter[str] = Counter()
    for place, calls in game.most_common():
        file, _, function = place.rpartition(":")
        ours = file.startswith(product)
        short = file.removeprefix(product) if ours else "/".join(Path(file).parts[-2:])
        if arguments.functions:
            print(f"{calls / len(GAME):7.2f}  {short}:{function}")
        by_folder[str(Path(short).parent) if ours else "libraries"] += calls
        if ours:
            by_file[short] += calls
    if arguments.files:
        for file, calls in by_file.most_common():
            print(f"{calls / len(GAME):7.2f}  {file}")
    seldom = sum(calls < len(GAME) for calls in by_file.values())
    return [
        Figure("Python calls of a move", "", [game.total() / len(GAME)], goal=80.0),
        Figure("files of the product that a move passes", "", [len(by_file) - seldom], goal=26.0),
        *[Figure(f"  calls in {folder}", "", [calls / len(GAME)]) for folder, calls in by_folder.most_common()],
    ]


def main(arguments: Sequence[str]) -> None:
    """Count the calls of a checkout."""
    parser = command_line.options(__doc__)
    parser.add_argument("path", type=Path, nargs="?", default=TREE, help="another checkout")
    parser.add_argument("--files", action="store_true", help="print the calls in each file, too")
    parser.add_argument("--functions", action="store_true", help="print the calls of each function, too")
    command_line.run(measure, parser, arguments)
