"""The plain consoles of a game and of a room, and the choice of a console."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TextIO

import pytest

from noughts.rules.game import Game
from noughts.terminal import console as console_module
from noughts.terminal.console import PlainConsole, console_for, console_with_keys, wrapped
from noughts.terminal.prompt_console import PromptConsole
from noughts.terminal.room_console import PlainRoomConsole

EMPTY = Game.of("classic")


class Typed(io.StringIO):
    """Lines that a person types, which the terminal shows by itself."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("lines", "end"), [(io.StringIO(" b2 \n"), "(X): b2\n"), (Typed(" b2 \n"), "(X): ")])
def test_it_asks_below_the_board_and_echoes_what_is_not_typed(lines: TextIO, end: str) -> None:
    output = io.StringIO()
    console = PlainConsole(lines, output)
    assert console.ask(EMPTY, "Your move (X):") == "b2"
    assert output.getvalue().endswith(f" 3  .   .   .\nYour move {end}")
    with pytest.raises(EOFError):
        console.ask(EMPTY, "?")
    assert output.getvalue().count(" 2  .   .   .") == 1  # a board is shown once
    console.show(EMPTY.play("b2"))
    assert " 2  .   X   ." in output.getvalue()


def test_text_is_wrapped_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrapped("one two three", 7) == "one two\nthree"
    assert wrapped("  a  list stays as it is\n  one two three", 24) == "  a  list stays as it is\n  one two three"
    assert wrapped("  one two three", 9) == "  one two\n  three"
    assert wrapped("extraordinarily long", 5) == "extraordinarily\nlong"
    assert wrapped("\x1b[2Jone\ntwo\u202e", 20) == "\ufffd[2Jone\ntwo\ufffd"
    monkeypatch.setenv("COLUMNS", "12")
    output = io.StringIO()
    PlainConsole(io.StringIO(), output).say("X resigned. O wins.")
    assert output.getvalue() == "X resigned.\nO wins.\n"


def test_a_capable_terminal_has_a_console_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull) as empty:
        monkeypatch.setattr("sys.stdin", empty)
        monkeypatch.setenv("TERM", "xterm")
        assert isinstance(console_for(plain=False), PlainConsole)
        assert console_with_keys(plain=False) is None
        monkeypatch.setattr(console_module, "is_capable_terminal", lambda: True)
        assert isinstance(console_for(plain=False), PromptConsole)
        assert isinstance(console_for(plain=True), PlainConsole)


# --- in a room --------------------------------------------------------------------------------------------------------

Pipe = tuple[TextIO, TextIO]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Return the reading and the writing end of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as output, os.fdopen(writing, "w") as lines:
        yield output, lines


@pytest.mark.parametrize(("last", "answer"), [("say hé", "say hé"), ("resign\n", "resign")])
async def test_lines_come_one_by_one_and_then_the_end(pipe: Pipe, last: str, answer: str) -> None:
    reading, writing = pipe
    console = PlainRoomConsole(reading, io.StringIO())
    assert console.waits
    writing.write(f" b2 \n{last}")
    writing.flush()
    assert await console.answer() == "b2"
    writing.close()
    assert await console.answer() == answer
    with pytest.raises(EOFError):
        await console.answer()


def test_boards_and_questions_are_shown_when_they_change(pipe: Pipe) -> None:
    output = io.StringIO()
    console = PlainRoomConsole(pipe[0], output)
    for _ in range(2):
        console.follow(EMPTY, "Your move (X):")
    console.follow(None, "Watching:")
    assert output.getvalue().splitlines()[-2:] == ["Your move (X):", "Watching:"]
    assert len(output.getvalue().splitlines()) == 6
