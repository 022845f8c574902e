"""The console of a game: what it shows, and how it asks for a move. The plain console is for pipes and screen readers."""

from __future__ import annotations

import shutil
from typing import Protocol, TextIO

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
    """Return a text with each of its lines broken between words, so that none is wider than ``width`` columns."""
    lines = []
    for paragraph in text.split("\n"):
        if len(paragraph) <= width:
            lines.append(paragraph)
            continue
        line = ""
        indent = " " * (len(paragraph) - len(paragraph.lstrip()))
        for word in paragraph.split():
            if line.strip() and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = indent
            line = f"{line} {word}" if line.strip() else indent + word
        lines.append(line)
    return "\n".join(lines)
