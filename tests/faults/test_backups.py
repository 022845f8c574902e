"""A year in little time: backup after backup under play, with kills and a full disk between them, and each restored."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final

import pytest

from noughts.client import connect
from noughts.client.room import Room
from tests.support.ledger import CELLS, Ledger
from tests.support.player import WAIT_S, Api
from tests.support.server import QUICK, RunningServer

ROOMS: Final = 3
KEPT: Final = 4
FULL: Final = """
import resource, sys
from noughts.command_line import main
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
sys.exit(main(sys.argv[1:]))
"""
"""A program whose disk is full after 8 KiB of a file."""


async def run(*words: object, program: Sequence[str] = ("-m", "noughts"), kill_after_s: float | None = None) -> int:
    """Run a command as a process. Kill it after a time. Return its exit status."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *program, *map(str, words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    )
    if kill_after_s is not None:
        await asyncio.sleep(kill_after_s)
        with suppress(ProcessLookupError):  # it has ended
            process.kill()
    return await process.wait()


class Backups:
    """Backups of a server on which a ledger is played, and how many moves each room may have in each of them."""

    def __init__(self, server: RunningServer, ledger: Ledger, directory: Path) -> None:
        self._server = server
        self._ledger = ledger
        self._directory = directory
        self.moves: dict[Path, dict[str, range]] = {}

    def files(self) -> set[Path]:
        return set(self._directory.glob("*.db"))

    async def make(self) -> None:
        """Make a backup that succeeds."""
        earliest, before = self._counts(), self.files()
        assert await run("backup", self._directory, "--keep", KEPT, "--data", self._server.data) == 0
        (newest,) = self.files() - before
        self.moves[newest] = self._ranges(earliest)

    async def fail(self, number: int) -> None:
        """Make a backup that is killed on its way, or meets a full disk. Those that are there stay as they are."""
        before, counts = self.files(), self._counts()
        words = ("backup", self._directory, "--keep", KEPT, "--data", self._server.data)
        if number % 2:
            await run(*words, kill_after_s=0.05 * (1 + number % 12))
            assert before - self.files() == set() or len(self.files()) == KEPT  # it was quicker than its end
            for unknown in self.files() - before:
                self.moves[unknown] = self._ranges(counts)
        else:
            assert await run(*words, program=("-c", FULL)) != 0
            assert self.files() == before

    def _ranges(self, earliest: dict[str, int]) -> dict[str, range]:
        """Return how many moves each room may have. A move that has no answer yet may be stored."""
        latest = self._counts()
        return {id: range(count, latest[id] + 2) for id, count in earliest.items()}

    def _counts(self) -> dict[str, int]:
        return {room.id: len(room.moves) for room in self._ledger.rooms}


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.long)])
async def test_backups_under_play_are_restored_under_open_pages(tmp_path: Path, rounds: int) -> None:
    """The server is killed after every second one. Clients that stay open see each older state, and play on from it."""
    server = RunningServer(tmp_path / "data", QUICK).start()
    ledger = Ledger(server)
    ledger.pace_s = 0.05
    backups = Backups(server, ledger, tmp_path / "backups")
    try:
        await ledger.open_rooms(ROOMS)
        async with ledger.playing():
            for number in range(rounds):
                await ledger.until(2 * ROOMS)
                await backups.make()
                await backups.fail(number)
                if number % 2:
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
        await ledger.check()
        assert not ledger.violations
        restored = sorted(backups.files() & set(backups.moves), reverse=True)  # each knows the rooms of the next one
        for file in (restored[0], restored[-1]):
            await restore_under_open_pages(server, ledger, file, backups.moves[file])
    finally:
        server.kill()
    print(f"{rounds} backups under play, 2 restored: {ledger.figures()}")


async def restore_under_open_pages(server: RunningServer, ledger: Ledger, file: Path, moves: dict[str, range]) -> None:
    """Restore a backup while clients of both players are in each room, and let each make a move."""
    async with AsyncExitStack() as stack, asyncio.timeout(WAIT_S):
        pages: dict[str, list[Room]] = {}
        for room in [room for room in ledger.rooms if room.id in moves]:
            for player in room.players:
                client = await stack.enter_async_context(connect(server.url, token=player.token))
                pages.setdefault(room.id, []).append(await stack.enter_async_context(await client.join(room.id)))
        await asyncio.to_thread(server.kill)
        assert await run("restore", file, "--data", server.data) == 0
        await asyncio.to_thread(server.start)
        for id, sides in pages.items():
            game = (await Api(server.url).call("GET", f"/api/rooms/{id}"))[1]["game"]
            ply = len(game["moves"]) if game else 0
            assert ply in moves[id]
            await play_on(sides, ply)


async def play_on(sides: Sequence[Room], ply: int) -> None:
    """Wait until both clients show the restored state, and make the next move of each side."""
    for _ in sides:
        for room in sides:
            await until_shown(room, ply)
        if ply == len(CELLS):
            return
        await sides[ply % 2].move(CELLS[ply])
        ply += 1


async def until_shown(room: Room, ply: int) -> None:
    """Wait until a client shows this many moves of the ledger."""
    async for view in room:
        if (list(view.game.moves) if view.game else []) == list(CELLS[:ply]):
            return
    raise AssertionError("the room is gone")
