"""``noughts play`` in a terminal: colours, arrow keys, Ctrl-C and Ctrl-D, at 40 and 120 columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from noughts.rules.game import Game
from noughts.rules.variant import VARIANTS
from noughts.terminal.prompt_console import PromptConsole, Step, stepped
from noughts.terminal.room_console import InterruptError
from tests.support.terminal import CTRL_C, CTRL_D, DOWN, ENTER, RIGHT, UP
from tests.terminal.conftest import Open


@pytest.mark.parametrize("columns", [40, 120])
def test_a_whole_game_with_keys(open_terminal: Open, columns: int) -> None:
    terminal = open_terminal("play", "--against", "friend", columns=columns)
    for keys, cell in ((RIGHT, "b2"), (UP + UP, "b1"), ("a1", "a1"), ("C1", "C1"), ("c3", "c3")):
        terminal.until("to move:")
        terminal.type(keys + ENTER)
        terminal.until(f"to move: {cell}")
    assert terminal.end() == 0
    assert "X wins with a1 b2 c3." in terminal.text
    assert "\x1b[0;94;1mX" in terminal.raw  # the marks have colours


def test_ctrl_c_at_the_question_leaves(open_terminal: Open) -> None:
    terminal = open_terminal("play")
    terminal.until("Your move (X):")
    terminal.type(CTRL_C)
    terminal.until("Goodbye.")
    assert terminal.end() == 130


def test_ctrl_c_while_an_answer_is_taken_leaves(open_terminal: Open) -> None:
    """Between two questions the terminal turns Ctrl-C into a signal, which may come with the last key of an answer."""
    terminal = open_terminal("play", "--against", "friend")
    terminal.until("X to move:")
    terminal.type_and_interrupt("b2" + ENTER)
    terminal.until("Goodbye.")
    assert terminal.end() == 130


def test_a_terminal_without_keys_gets_plain_text(open_terminal: Open) -> None:
    terminal = open_terminal("play", name="dumb")
    terminal.until("Your move (X):")
    terminal.type("quit" + ENTER)
    assert terminal.end() == 0
    assert "\x1b" not in terminal.raw


# --- in a room --------------------------------------------------------------------------------------------------------


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    """Return a keyboard for the consoles of this process."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


async def test_an_answer_in_a_room_is_selected_or_typed(
    keyboard: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    """Arrow keys have no effect while there is no game. The cursor stays where it was."""
    console = PromptConsole()
    answers = []
    for game, keys in (
        (Game.of("classic"), RIGHT + UP + ENTER),
        (Game.of("classic", "b1"), DOWN + " " + ENTER),
        (None, UP + "say hello" + ENTER),
    ):
        console.follow(game, "Your move (X):")
        keyboard.send_text(keys)
        answers.append(await console.answer())
    assert answers == ["b1", "b1", "say hello"]
    said = [line.strip() for line in capsys.readouterr().out.splitlines() if "> " in line]
    assert said == ["> b1", "> b1", "> say hello"]


@pytest.mark.parametrize(("key", "error"), [(CTRL_C, InterruptError), (CTRL_D, EOFError)])
async def test_two_keys_leave_a_room(keyboard: PipeInput, key: str, error: type[EOFError]) -> None:
    """The program tells them apart: Ctrl-C has an exit status of its own."""
    console = PromptConsole()
    console.follow(None, "Watching:")
    keyboard.send_text(key)
    with pytest.raises(EOFError) as raised:
        await console.answer()
    assert type(raised.value) is error


# --- the cursor -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "cell", "step", "target"),
    [
        ("classic", "b2", (1, 0, 0), "c2"),
        ("classic", "c2", (1, 0, 0), "a2"),
        ("classic", "a1", (0, -1, 0), "a3"),
        ("classic", "b2", (0, 0, 1), "b2"),
        ("qubic", "d2.1", (1, 0, 0), "a2.2"),
        ("qubic", "b4.1", (0, 1, 0), "b1.2"),
        ("qubic", "a1.1", (-1, 0, 0), "d1.4"),
        ("qubic", "a1.1", (0, 0, 1), "a1.2"),
    ],
)
def test_steps_go_on_at_the_other_side(variant: str, cell: str, step: Step, target: str) -> None:
    board = VARIANTS[variant]
    assert board.names[stepped(board, board.index_of[cell], step)] == target
