"""The console of a game: what it shows, and how it asks for a move. The plain console is for pipes and screen readers."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import Any, Protocol, TextIO

from noughts.command_line import part
from noughts.printable import printable
from noughts.rules.game import Game
from noughts.terminal.board_text import board_lines, plain_text


class Console(Protocol):
    """A person's terminal, or the pipe of a program."""

    keys: str
    """What the keys do apart from typing names, as a part of a sentence; empty if nothing."""

    def say(self, text: str) -> None:
        """Show one or more lines of text, wrapped to the width."""
        ...

    def show(self, game: Game) -> None:
        """Show the board of a game that nobody is asked about, such as the last one."""
        ...

    def ask(self, game: Game, question: str) -> str:
        """Show the board, ask, and return the answer without spaces around it.

        Raise EOFError at the end of the input, and KeyboardInterrupt after Ctrl-C.
        """
        ...


class PlainConsole:
    """Reads lines and writes text without colours. It shows a board once, also when it asks again."""

    keys = ""

    def __init__(self, lines: TextIO, output: TextIO) -> None:
        self._lines = lines
        self._output = output
        self._echoes = not lines.isatty()
        self._last_shown: Game | None = None

    def say(self, text: str) -> None:
        print(wrapped(text, columns()), file=self._output, flush=True)

    def show(self, game: Game) -> None:
        if game != self._last_shown:
            self._last_shown = game
            print(plain_text(board_lines(game, columns())), file=self._output, flush=True)

    def ask(self, game: Game, question: str) -> str:
        self.show(game)
        print(wrapped(question, columns()), end=" ", file=self._output, flush=True)
        line = self._lines.readline()
        if not line:
            print(file=self._output)
            raise EOFError
        answer = line.strip()
        if self._echoes:  # a terminal has shown what was typed
            print(answer, file=self._output)
        return answer


def columns() -> int:
    """Return the width of the terminal, or what the variable COLUMNS says, or 80."""
    return shutil.get_terminal_size().columns


def wrapped(text: str, width: int) -> str:
    """Return a printable text with each of its lines broken between words, so that none is wider than ``width`` columns."""
    return "\n".join(
        textwrap.fill(
            line,
            width,
            subsequent_indent=" " * (len(line) - len(line.lstrip())),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in map(printable, text.split("\n"))
    )


def console_for(*, plain: bool) -> Console:
    """Return the console with colours and arrow keys where it works, else a plain one."""
    return console_with_keys(plain=plain) or PlainConsole(sys.stdin, sys.stdout)


def console_with_keys(*, plain: bool) -> Any:
    """Return the console with colours and arrow keys; None if a plain one is wanted or both ends are no such terminal."""
    return None if plain or not is_capable_terminal() else part("console with keys").PromptConsole()


def is_capable_terminal() -> bool:
    """Return whether both ends are a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
