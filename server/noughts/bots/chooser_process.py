"""A bot in a process of its own, which can be killed alone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from noughts.bots.bot_file import FUNCTION, BotError, legal_cell
from noughts.bots.chooser_worker import Answer, decode_answer, line
from noughts.protocol.messages import View

START_S: Final = 60.0
"""Seconds for the start of a process, with what a bot file does while it is imported."""
_LONGEST_LINE: Final = 1 << 20


class ChooserProcess:
    """One process, started at its first view and again after it was killed. It answers one view at a time."""

    def __init__(self, file: Path, seconds: float) -> None:
        """``seconds`` are those for a move."""
        self._file = file
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None

    async def choose(self, view: View) -> str:
        """Return the cell chosen for a view. Raise :class:`BotError` with the reason if there is none in time."""
        await self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(ConnectionError):  # then reading says what happened
            self._process.stdin.write(line(view))
            await self._process.stdin.drain()
        answer = await self._answer(self._seconds)
        return legal_cell(answer.cell, view)

    async def start(self) -> None:
        """Start the process if it does not run. Raise :class:`BotError` if a bot file cannot be used."""
        if self._process is not None and self._process.returncode is None:
            return
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "noughts.bots.chooser_worker", str(self._file)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C reaches this process alone, which then kills the others
        )
        await self._answer(START_S)

    async def stop(self) -> None:
        """Kill the process and those that it began, whatever they are doing."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        assert process.stdin is not None
        process.stdin.close()
        with suppress(ConnectionError):
            await process.stdin.wait_closed()

    async def _answer(self, seconds: float) -> Answer:
        """Return the next answer. Raise BotError for a failure, and kill the process if there is no answer in time."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(seconds):
                text = await self._process.stdout.readline()
            answer = decode_answer(text)
        except TimeoutError:
            await self.stop()
            raise BotError(f"{FUNCTION} took longer than {seconds:g} s: allow more with --seconds.") from None
        except (ValueError, msgspec.DecodeError):
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
        self._processes = [ChooserProcess(file, seconds) for _ in range(size)]
        self._free: asyncio.LifoQueue[ChooserProcess] = asyncio.LifoQueue()
        for process in self._processes:
            self._free.put_nowait(process)

    async def start(self) -> None:
        """Start one process, to learn whether the bot can be used. Raise :class:`BotError`."""
        await self._processes[-1].start()

    async def choose(self, view: View) -> str:
        """Return the cell chosen for a view. Raise :class:`BotError`. The wait for a free process costs the bot no time."""
        process = await self._free.get()
        try:
            return await process.choose(view)
        finally:
            self._free.put_nowait(process)

    async def stop(self) -> None:
        """Kill all processes."""
        for process in self._processes:
            await process.stop()
