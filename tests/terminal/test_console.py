"""The plain console: lines in, text out."""

from __future__ import annotations

import io

import pytest

from noughts.rules.game import Game
from noughts.terminal.console import PlainConsole, wrapped

EMPTY = Game.of("classic")


def test_it_asks_below_the_board_and_echoes_the_answer() -> None:
    output = io.StringIO()
    console = PlainConsole(io.StringIO(" b2 \n"), output)
    assert console.ask(EMPTY, "Your move (X):") == "b2"
    assert output.getvalue().splitlines()[-1] == "Your move (X): b2"


def test_it_shows_a_board_once() -> None:
    output = io.StringIO()
    console = PlainConsole(io.StringIO("\nb2\n"), output)
    console.ask(EMPTY, "?")
    console.ask(EMPTY, "?")
    assert output.getvalue().count(" 2  .   .   .") == 1
    console.show(EMPTY.play("b2"))
    assert " 2  .   X   ." in output.getvalue()


def test_the_end_of_the_input_is_told() -> None:
    console = PlainConsole(io.StringIO(""), io.StringIO())
    with pytest.raises(EOFError):
        console.ask(EMPTY, "?")


def test_text_is_wrapped_between_words() -> None:
    assert wrapped("one two three", 7) == "one two\nthree"
    assert wrapped("  a  list stays as it is\n  one two three", 24) == "  a  list stays as it is\n  one two three"
    assert wrapped("  one two three", 9) == "  one two\n  three"
    assert wrapped("extraordinarily long", 5) == "extraordinarily\nlong"


class Typed(io.StringIO):
    """Lines that a person types, which the terminal shows by itself."""

    def isatty(self) -> bool:
        return True


def test_an_answer_that_was_typed_is_not_echoed() -> None:
    output = io.StringIO()
    assert PlainConsole(Typed("b2\n"), output).ask(EMPTY, "Your move (X):") == "b2"
    assert output.getvalue().endswith("Your move (X): ")


def test_text_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    output = io.StringIO()
    PlainConsole(io.StringIO(), output).say("X resigned. O wins.")
    assert output.getvalue() == "X resigned.\nO wins.\n"
