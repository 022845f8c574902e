"""Two honest players in a process of their own, and newcomers, each at an address of its own.

The process plays while it is asked for figures. A line on its input names a number of moves; the answer is a line of JSON
with the times in milliseconds.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import aiohttp

from tests.attacks.attacker import Target
from tests.support.player import Socket, enter, friends_room, guest
from tests.support.server import RunningServer

GAME: Final = ("a1", "b2", "a3", "a2", "c2", "b1", "b3", "c3", "c1")
PAUSE_S: Final = 0.06
"""The limit on messages of a player is ten a second."""
NEWCOMER_S: Final = 0.25
PATIENCE_S: Final = 20.0
MOVE_MS: Final = 50
"""A move this quick is quick enough for a player, however quick it was before."""
TRIES: Final = 3
"""How often an attack is tried. Other programs may hold up moves of one try. A server without its guard fails in all."""


class Figures(NamedTuple):
    """Milliseconds of the pair's moves, and of the slowest newcomer's first request. Numbers of moves and newcomers.

    ``failed`` newcomers got no answer. ``newcomers`` includes those whose requests the end of a measurement broke off.
    """

    p50: float
    p90: float
    p99: float
    newcomer: float
    failed: int
    moves: int
    newcomers: int

    def __str__(self) -> str:
        return f"p50 {self.p50:.0f} p99 {self.p99:.0f} newcomer {self.newcomer:.0f} ms, {self.failed} failed"


async def _newcomers(url: str, times_ms: list[float], failures: list[str]) -> None:
    for n in itertools.count():
        began_s = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await guest(url, address=f"127.7.{n % 250}.{1 + n // 250}")
        except (OSError, aiohttp.ClientError, TimeoutError, AssertionError) as error:
            failures.append(repr(error))
        times_ms.append((time.monotonic() - began_s) * 1000)
        await asyncio.sleep(NEWCOMER_S)


async def _serve(url: str) -> None:
    server = Target(url)
    ann, ben = [await guest(url, address=f"127.8.0.{n}") for n in (1, 2)]
    answer = await friends_room(server, ann)
    async with enter(server, answer["room"]["id"], ann) as x, enter(server, answer["room"]["id"], ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        moves = _moves(x, o)
        print("ready", flush=True)
        loop = asyncio.get_running_loop()
        while count := await loop.run_in_executor(None, input):
            times_ms: list[float] = []
            newcomer_ms: list[float] = []
            failures: list[str] = []
            newcomers = asyncio.create_task(_newcomers(url, newcomer_ms, failures))
            for _ in range(int(count)):
                times_ms.append(await anext(moves))
                await asyncio.sleep(PAUSE_S)
            while not newcomer_ms:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(PAUSE_S)
            newcomers.cancel()
            print(json.dumps({"moves": times_ms, "newcomers": newcomer_ms, "failed": failures}), flush=True)


async def _moves(x: Socket, o: Socket) -> AsyncIterator[float]:
    """Yield how long each move takes until both players see it. One game follows another, and no outcome matters."""
    for number in itertools.count(1):
        for ply, cell in enumerate(GAME):
            began_s = time.monotonic()
            # X begins the first game; the marks stay with the players, so X always begins.
            await (x, o)[ply % 2].ok("move", ply=ply, cell=cell)
            await _seen((o, x)[ply % 2], ply + 1, number)
            yield (time.monotonic() - began_s) * 1000
        for player in (x, o):
            await player.send({"type": "offer", "id": f"r{number}", "what": "rematch"})
        for player in (x, o):
            await _seen(player, 0, number + 1)
        x, o = o, x


async def _seen(player: Socket, ply: int, number: int) -> None:
    """Wait until a player has seen a ply of a game."""
    await player.until_room(lambda room: (room["game"]["number"], len(room["game"]["moves"])) == (number, ply))


class ControlPair:
    """The process, as a test uses it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def figures(self, moves: int) -> Figures:
        """Let the pair make some moves, and return their times."""
        return figures_of([await self._measured(moves)])

    async def figures_until(self, task: asyncio.Task[Any], moves: int = 10) -> Figures:
        """Let the pair make moves, some at a time, until a task is done. Return their times."""
        measured = [await self._measured(moves)]
        while not task.done():
            measured.append(await self._measured(moves))
        return figures_of(measured)

    async def _measured(self, moves: int) -> dict[str, list[Any]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{moves}\n".encode())
        measured: dict[str, list[Any]] = json.loads(await self._process.stdout.readline())
        return measured


def figures_of(measured: Sequence[dict[str, list[Any]]]) -> Figures:
    """Return the figures of what the process measured, in one part or more."""
    moves, newcomers, failed = [
        [each for part in measured for each in part[name]] for name in ("moves", "newcomers", "failed")
    ]
    times_ms = sorted(moves)
    at = [times_ms[min(len(times_ms) - 1, int(len(times_ms) * share))] for share in (0.5, 0.9, 0.99)]
    return Figures(at[0], at[1], at[2], max(newcomers), len(failed), len(moves), len(newcomers) + len(measured))


async def slows_nobody(attack: Callable[[], Awaitable[tuple[float, float]]]) -> bool:
    """Return whether the pair moves as quickly as before in one try of an attack.

    ``attack`` returns how long a slow move takes before the attack and during it, in milliseconds.
    """
    for _ in range(TRIES):
        before_ms, during_ms = await attack()
        if during_ms <= max(MOVE_MS, 2 * before_ms):
            return True
    return False


@asynccontextmanager
async def control_pair(server: RunningServer) -> AsyncIterator[ControlPair]:
    """Start the process, and end it afterwards."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.attacks.control_pair",
        server.url,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        limit=1 << 24,
    )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"ready\n"
        yield ControlPair(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
