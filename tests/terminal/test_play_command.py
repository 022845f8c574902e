"""``noughts play`` through a pipe, and the mistakes that its arguments can have."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from noughts import library
from noughts.command_line import UsageError
from noughts.rules.variant import VARIANTS
from noughts.terminal import play_command
from noughts.terminal.console import Console
from noughts.terminal.local_game import LocalGame, Plan
from noughts.terminal.play_command import main
from tests.support.cli_runs import Capture, noughts
from tests.support.player import WAIT_S
from tests.support.terminal import run


def test_without_the_programs_the_default_level_does_not_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "fault", lambda: "no right to make code")
    plans: list[Plan] = []

    def play(plan: Plan, console: Console) -> LocalGame:
        plans.append(plan)
        raise EOFError

    monkeypatch.setattr(play_command, "LocalGame", play)
    main(("play", "--variant", "gomoku", "--plain"))
    main(("play", "--plain"))
    assert [plan.level for plan in plans] == ["casual", "skilled"]
    with pytest.raises(UsageError, match="Gomoku has no level strongest: choose one of novice, beginner, casual"):
        main(("play", "--variant", "gomoku", "--level", "strongest"))


@pytest.fixture
def plain_game() -> Iterator[subprocess.Popen[str]]:
    """A game of gomoku whose engine searches for a minute, when it is asked."""
    arguments = ("play", "--variant", "gomoku", "--mark", "O", "--level", "strongest", "--seconds", "60")
    process = subprocess.Popen(
        [sys.executable, "-m", "noughts", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def test_lines_on_the_input_play_a_whole_game() -> None:
    process = run("play", "--against", "friend", lines=["a1", "B2", "a1", "b1", "c1", "a3", "a2"], columns=40)
    assert process.returncode == 0, process.stderr
    assert "a1 is taken. Try again." in process.stdout
    assert "Goodbye." in process.stdout  # the lines ended before the game did
    process = run("play", "--against", "friend", lines=["a1", "a2", "b1", "b2", "c1"], columns=40)
    assert process.stdout.splitlines()[-1] == "X wins with a1 b1 c1."
    assert max(map(len, process.stdout.splitlines())) <= 40
    assert "\x1b" not in process.stdout


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_starts_within_forty_columns(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    status, text = noughts(capsys, "play", "--plain", "--variant", variant, "--against", "friend")
    assert status == 0
    assert max(map(len, text.splitlines())) <= 40
    assert text.rstrip().endswith("Goodbye.")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--variant", "chess"), "there is no variant 'chess': choose one of classic, misere,"),
        (("--level", "godlike"), "Tic-tac-toe has no level godlike: choose one of novice,"),
        (("--variant", "gomoku", "--level", "perfect"), "Gomoku has no level perfect"),
        (("--against", "friend", "--level", "novice"), "--level is for the engine"),
        (("--seconds", "0"), "--seconds must be more than 0."),
        (("--clock", "5+3"), "--against anyone, --clock, --first-to and --fair-start need a room: give --server"),
        (("--first-to", "3"), "--against anyone, --clock, --first-to and --fair-start need a room: give --server"),
        (("--fair-start",), "--against anyone, --clock, --first-to and --fair-start need a room: give --server"),
        (("--against", "anyone"), "--against anyone, --clock, --first-to and --fair-start need a room: give --server"),
    ],
)
def test_bad_arguments_get_one_line(capsys: Capture, arguments: tuple[str, ...], words: str) -> None:
    status, text = noughts(capsys, "play", *arguments)
    assert (status, text.count("\n")) == (2, 1)
    assert text.startswith(f"noughts: {words}")


def test_ctrl_c_stops_a_search(plain_game: subprocess.Popen[str]) -> None:
    assert plain_game.stdout is not None
    for line in plain_game.stdout:
        if "help" in line:
            break
    plain_game.send_signal(signal.SIGINT)
    output, errors = plain_game.communicate(timeout=WAIT_S)
    assert (plain_game.returncode, errors) == (130, "")
    assert output.endswith("Goodbye.\n")


def test_neither_a_server_nor_a_terminal_library_is_loaded() -> None:
    code = (
        "import sys; from noughts.command_line import main; main(['play', '--plain']);"
        "print({'aiohttp', 'asyncio', 'prompt_toolkit', 'websockets'} & set(sys.modules))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], input="", capture_output=True, text=True, check=True, env=os.environ
    )
    assert process.stdout.splitlines()[-1] == "set()"
