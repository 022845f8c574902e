"""A bot in processes of its own. A process that hangs is killed alone, and the next view gets a new one."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final, NamedTuple

from noughts.bots.bot_file import FUNCTION, BotError, chosen_cell, legal_cell, load_bot
from noughts.protocol.messages import View

MOST_FAILURES: Final = 3
"""A bot that fails for this many views running stops: it would resign game after game."""
START_S: Final = 60.0
"""Seconds for the start of a process, with what a bot file does while it is imported."""
_SPAWN: Final = multiprocessing.get_context("spawn")


class _Answer(NamedTuple):
    """The cell that was chosen, or the reason why there is none. It has neither when the process begins to take views."""

    cell: str | None = None
    reason: str = ""
    detail: str = ""


class Chooser:
    """One process with a bot, started at its first view and again after it was killed. It answers one view at a time."""

    def __init__(self, file: Path, seconds: float) -> None:
        """``seconds`` are those for a move."""
        self._file = file
        self._seconds = seconds
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    async def choose(self, view: View) -> str:
        """Return the cell chosen for a view. Raise :class:`BotError` with the reason if there is none in time."""
        await self.start()
        assert self._connection is not None
        with suppress(OSError):  # then the answer says what happened
            self._connection.send(view)
        answer = await self._answer(self._connection, self._seconds)
        return legal_cell(answer.cell, view)

    async def start(self) -> None:
        """Start the process if it does not run. Raise :class:`BotError` if a bot file cannot be used."""
        if self._process is not None and self._process.is_alive():
            return
        await self.stop()
        self._connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(self._file, theirs))
        self._process.start()
        theirs.close()
        await self._answer(self._connection, START_S)

    async def stop(self) -> None:
        """Kill the process and those that it began, whatever they are doing."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.pid is not None and process.is_alive():
            for kill in (os.killpg, os.kill):  # a process that has just begun has no group of its own yet
                with suppress(ProcessLookupError):
                    kill(process.pid, signal.SIGKILL)
        process.join()
        assert self._connection is not None
        self._connection.close()

    async def _answer(self, connection: Connection, seconds: float) -> _Answer:
        """Return the next answer. Raise BotError for a failure, and kill the process if there is no answer in time."""
        try:
            if not await asyncio.to_thread(connection.poll, seconds):
                await self.stop()
                raise BotError(f"{FUNCTION} took longer than {seconds:g} s: allow more with --seconds.")
            answer: _Answer = connection.recv()
        except (EOFError, OSError):
            await self.stop()
            raise BotError("its process ended without an answer.") from None
        except asyncio.CancelledError:
            await self.stop()  # an answer that comes later would be taken for that to the next view
            raise
        if answer.reason:
            raise BotError(answer.reason, answer.detail)
        return answer


class ChooserPool:
    """Several processes with the same bot. A caller gets one that is free, and waits for one if none is."""

    def __init__(self, file: Path, size: int, seconds: float) -> None:
        self._choosers = [Chooser(file, seconds) for _ in range(size)]
        self._failures = 0
        """How many views running had no answer."""
        self._free: asyncio.LifoQueue[Chooser] = asyncio.LifoQueue()
        for chooser in self._choosers:
            self._free.put_nowait(chooser)

    async def start(self) -> None:
        """Start one process, to learn whether the bot can be used. Raise :class:`BotError`."""
        await self._choosers[-1].start()

    async def choose(self, view: View) -> str:
        """Return the cell chosen for a view. Raise :class:`BotError`. The wait for a free process costs the bot no time."""
        chooser = await self._free.get()
        try:
            cell = await chooser.choose(view)
            self._failures = 0
            return cell
        except BotError as error:
            self._failures += 1
            error.stops = self._failures >= MOST_FAILURES
            raise
        finally:
            self._free.put_nowait(chooser)

    async def stop(self) -> None:
        """Kill all processes."""
        for chooser in self._choosers:
            await chooser.stop()


def _serve(path: Path, connection: Connection) -> None:
    """Answer views in the process of the bot, until it is killed or its parent is gone."""
    os.setsid()  # Ctrl-C reaches the parent alone, which then kills this process
    os.dup2(2, 1)  # what a bot prints is no output of the command
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError):
        asyncio.run(_answer_views(path, connection))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)


async def _answer_views(path: Path, connection: Connection) -> None:
    try:
        choose = load_bot(path)
    except BotError as error:
        connection.send(_Answer(None, error.reason, error.detail))
        return
    connection.send(_Answer())
    while True:
        view = await asyncio.to_thread(connection.recv)
        try:
            answer = _Answer(await chosen_cell(choose, view))
        except BotError as error:
            answer = _Answer(None, error.reason, error.detail)
        connection.send(answer)
