"""The plain console of a room: lines come from a pipe while news are shown."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import TextIO

import pytest

from noughts.rules.game import Game
from noughts.terminal.room_console import PlainRoomConsole

Pipe = tuple[TextIO, TextIO]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Return the reading and the writing end of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as output, os.fdopen(writing, "w") as lines:
        yield output, lines


async def test_lines_come_one_by_one_and_then_the_end(pipe: Pipe) -> None:
    reading, writing = pipe
    console = PlainRoomConsole(reading, io.StringIO())
    assert console.waits
    writing.write(" b2 \nsay hé")
    writing.flush()
    assert await console.answer() == "b2"
    writing.close()
    assert await console.answer() == "say hé"
    with pytest.raises(EOFError):
        await console.answer()


def test_boards_and_questions_are_shown_when_they_change(pipe: Pipe) -> None:
    output = io.StringIO()
    console = PlainRoomConsole(pipe[0], output)
    for _ in range(2):
        console.follow(Game.of("classic"), "Your move (X):")
    console.follow(None, "Watching:")
    assert output.getvalue().splitlines()[-2:] == ["Your move (X):", "Watching:"]
    assert len(output.getvalue().splitlines()) == 6


async def test_a_last_line_that_ends_is_no_line_more(pipe: Pipe) -> None:
    reading, writing = pipe
    console = PlainRoomConsole(reading, io.StringIO())
    writing.write("resign\n")
    writing.close()
    assert await console.answer() == "resign"
    with pytest.raises(EOFError):
        await console.answer()
