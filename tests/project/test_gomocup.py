"""The driver of Gomocup's protocol, against a tiny program of the tests' own."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from noughts.rules.game import new_game
from tests.support import gomocup_program
from tests.support.player import WAIT_S
from tools.gomocup import OPENINGS, VARIANT, EngineFaultError, GomocupEngine, main, match, opening, play, score_of

SIZE = 15


def command(log: Path, behaviour: str = "plain") -> list[str]:
    """Return the command that starts the program."""
    return [sys.executable, gomocup_program.__file__, str(log), behaviour]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program answer and end late, as on a busy machine."""
    monkeypatch.setattr("tools.gomocup.GRACE_S", WAIT_S)
    monkeypatch.setattr("tools.gomocup.END_S", WAIT_S)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "lines"


def test_the_driver_speaks_the_protocol(log: Path) -> None:
    with GomocupEngine(command(log), SIZE, 2.5) as engine:
        assert engine.begin() == 0
        assert engine.turn(SIZE + 1) == 1
    assert log.read_text().splitlines() == [
        "START 15",
        "INFO timeout_turn 2500",
        "INFO timeout_match 0",
        "INFO rule 0",
        "BEGIN",
        "TURN 1,1",
        "END",
    ]


def test_a_board_is_sent_with_the_marks_of_both_sides(log: Path) -> None:
    """1 is the program's mark, 2 ours, and the last move is ours."""
    with GomocupEngine(command(log), SIZE, 1.0) as engine:
        assert engine.board((0, 16, 2)) == 1
    assert log.read_text().splitlines()[4:] == ["BOARD", "0,0,2", "1,1,1", "2,0,2", "DONE", "END"]


def test_remarks_of_the_program_are_passed_over(log: Path) -> None:
    with GomocupEngine(command(log, "talkative"), SIZE, 1.0) as engine:
        assert (engine.begin(), engine.turn(SIZE + 1)) == (0, 1)


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("silent", "has not answered"),
        ("ends", "has ended"),
        ("nonsense", "not a move"),
        ("outside", "not on the board"),
        ("occupied", "not free"),
    ],
)
def test_a_program_at_fault_loses_the_game(
    behaviour: str, words: str, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if behaviour == "silent":
        monkeypatch.setattr("tools.gomocup.GRACE_S", 0.0)
    game = new_game(VARIANT).play(7 + SIZE * 7)
    after, fault = play(command(log, behaviour), game, "X", 0.01 if behaviour == "silent" else 5.0, random.Random(1))
    assert after.outcome is None
    assert fault is not None
    assert words in fault


def test_a_program_that_refuses_to_start_is_a_fault(log: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineFaultError, match="ERROR unsupported size"):
        GomocupEngine(command(log, "refuses"), SIZE, 1.0)
    with pytest.raises(EngineFaultError, match="cannot be started"):
        GomocupEngine([str(tmp_path / "absent")], SIZE, 1.0)


def test_a_match_plays_each_opening_with_both_marks(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points = match(command(log), 2, 0.05, 1)
    assert points == [1.0, 1.0]
    assert [line.split(",")[0] for line in capsys.readouterr().out.splitlines()] == ["game 1: X", "game 2: O"]
    lines = log.read_text().splitlines()
    boards = [
        [line for line in part.splitlines() if line.count(",") == 2] for part in "\n".join(lines).split("START 15")[1:]
    ]
    first, second = boards
    assert [line[:-2] for line in first[:5]] == [line[:-2] for line in second[:5]]


def test_openings_are_undecided_and_differ() -> None:
    games = [opening(number) for number in range(len(OPENINGS))]
    assert len({game.moves for game in games}) == len(games) == 30
    assert all(game.outcome is None and 4 <= game.ply <= 7 for game in games)
    assert opening(len(OPENINGS)).moves == games[0].moves


def test_the_command_prints_the_score(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--games", "1", "--seconds", "0.05", *command(log)])
    assert capsys.readouterr().out.endswith("0.05 s a move, 1 games, seed 1: 100.0 % +- 0.0\n")
    with pytest.raises(SystemExit):
        main([])


def test_the_interval_of_a_score() -> None:
    assert score_of([1.0, 0.0, 0.5, 0.5]) == "50.0 % +- 40.0"
    assert score_of([1.0]) == "100.0 % +- 0.0"
    with pytest.raises(ValueError, match="without a game"):
        score_of([])
