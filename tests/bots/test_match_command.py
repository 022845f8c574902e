"""``noughts match`` as it is typed: tables, JSON, kept games, and mistakes in one line."""

from __future__ import annotations

import json
import re
import sys
from itertools import combinations
from pathlib import Path

import pytest

from noughts.command_line import main

Capture = pytest.CaptureFixture[str]
FAILING = "def choose(view):\n    raise KeyError('oops')\n"


def match(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    """Run the command. Return its exit status and both outputs."""
    status = main(["match", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_match_prints_a_table(capsys: Capture) -> None:
    status, out, _ = match(capsys, "perfect", "novice", "--games", 2)
    assert status == 0
    assert "perfect - novice      2" in out
    assert "Elo difference (95 %)" in out
    assert "Moves that threw a won or a drawn game away:\n  perfect: 0\n  novice: " in out


def test_more_than_two_play_a_round_robin(capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    names = ("novice", "novice 2", "casual")
    status, text, _ = match(
        capsys, "novice", "novice", "casual", "--games", 1, "--json", "--out", out, "--variant", "misere"
    )
    assert status == 0
    pairings = json.loads(text)["pairings"]
    assert [pairing["players"] for pairing in pairings] == [list(pair) for pair in combinations(names, 2)]
    for pairing in pairings:
        assert pairing["games"] == pairing["wins"] + pairing["draws"] + pairing["losses"] == 1
        assert len(pairing["elo"]) == 3
    games = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(games) == 3
    for game in games:
        assert game["replay"] == f"/replay#misere={','.join(game['moves'])}"


def test_a_bot_that_fails_is_shown_with_its_own_code(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    status, out, err = match(capsys, path, "novice", "--games", 1)
    assert status == 0
    assert "failing - novice      1     0     0      1  -∞" in out
    assert err.startswith("game 1: failing loses: choose raised KeyError: 'oops'\nTraceback")
    assert "bot_file" not in err


def test_mistakes_are_one_line(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("")
    for arguments, message in (
        (("novice",), "a match needs two players"),
        (("novice", "wizard"), "'wizard' is no level of Tic-tac-toe and no bot file. The levels are: novice, casual"),
        (("novice", "none.py"), "there is no file none.py: name a Python file"),
        (("novice", tmp_path / "empty.py"), "has no function choose: define"),
        (("novice", "casual", "--variant", "chess"), "there is no variant 'chess': choose one of classic, misere"),
        (("novice", "casual", "--games", 0), "--games and --seconds must be more than 0."),
        (("novice", "casual", "--out", tmp_path), "cannot be written: Is a directory. Choose another --out."),
    ):
        status, out, err = match(capsys, *arguments)
        assert (status, out) == (2, "")
        assert err.startswith("noughts: ")
        assert message in err
        assert err.count("\n") == 1


def test_progress_is_shown_in_a_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one line for each pairing. Of more than two players, the table says against whom a game was thrown away."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    status, out, err = match(capsys, "novice", "casual", "skilled", "--games", 2)
    assert status == 0
    assert err.count("\n") == 3
    last = err.splitlines()[-1].rpartition("\r")[2]
    assert re.fullmatch(r"casual - skilled: game 2 of 2, \+\d =\d -\d +", last)
    assert [re.sub(r": \d+", "", line.strip()) for line in out.splitlines()[-6:]] == [
        f"{name} (against {opponent})"
        for pair in (("novice", "casual"), ("novice", "skilled"), ("casual", "skilled"))
        for name, opponent in (pair, pair[::-1])
    ]
