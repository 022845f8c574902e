"""The console of a room: news may come while a person types. The plain one reads lines in a thread."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Final, Protocol, TextIO

from noughts.rules.game import Game
from noughts.terminal.console import PlainConsole

_READ_SIZE: Final = 4096


class InterruptError(EOFError):
    """The person pressed Ctrl-C at the question."""


class RoomConsole(Protocol):
    """A console that shows what happens in a room, and takes what a person types in the meantime."""

    waits: bool
    """Whether a cell that is typed too early waits for its turn: in a pipe, where all moves may be there at once."""

    def say(self, text: str) -> None:
        """Show one or more lines of text, wrapped to the width."""
        ...

    def follow(self, game: Game | None, question: str) -> None:
        """Show this board and this question from now on."""
        ...

    async def answer(self) -> str:
        """Return the next line that a person types.

        Raise EOFError at the end of the input, and :class:`InterruptError` after Ctrl-C.
        """
        ...


class PlainRoomConsole(PlainConsole):
    """Reads the lines of a file descriptor, because a buffered file cannot be closed while a thread waits for it."""

    def __init__(self, lines: TextIO, output: TextIO) -> None:
        super().__init__(lines, output)
        self.waits = not lines.isatty()
        self._input = lines.fileno()
        self._question = ""
        self._answers: asyncio.Queue[str | None] = asyncio.Queue()
        self._reader: threading.Thread | None = None

    def follow(self, game: Game | None, question: str) -> None:
        if game is not None:
            self.show(game)
        if question != self._question:
            self._question = question
            self.say(question)

    async def answer(self) -> str:
        if self._reader is None:
            loop = asyncio.get_running_loop()
            self._reader = threading.Thread(target=self._read, args=(loop,), daemon=True)
            self._reader.start()
        line = await self._answers.get()
        if line is None:
            raise EOFError
        return line.strip()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while data := os.read(self._input, _READ_SIZE):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(self._answers.put_nowait, line.decode(errors="replace"))
        if rest:
            loop.call_soon_threadsafe(self._answers.put_nowait, rest.decode(errors="replace"))
        loop.call_soon_threadsafe(self._answers.put_nowait, None)
