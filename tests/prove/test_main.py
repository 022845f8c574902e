"""``python -m tools.prove``: the progress, the proof, and why there is none."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from noughts.engine.verdict import Verdict
from tests.support.cli_runs import Capture
from tools.prove import NotProvedError
from tools.prove import __main__ as prove_command
from tools.prove.empty_boards import Proof


def run(capsys: Capture, *arguments: str) -> tuple[int, str]:
    """Return the exit status and the output of the program."""
    try:
        status = prove_command.main(arguments)
    except SystemExit as ended:
        status = int(ended.code or 0)
    return status, "".join(capsys.readouterr())


def test_a_proof_shows_its_progress_once_a_second(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    now_s = 1_000.0

    def prove(variant: object, clock: object, show: object, sample: int, rng: object) -> Proof:
        nonlocal now_s
        assert callable(show)
        assert sample == 20
        for done, total, at_s in ((1, 10, 0.1), (10, 82, 1.2), (82, 300, 1.9), (300, 5_478, 2.2)):
            now_s = 1_000.0 + at_s
            show(done, total)
        return Proof("classic", "All of it.", Verdict("win", 5, "exact"), 5_478, 2.2, "hash")

    monkeypatch.setattr(prove_command, "prove", prove)
    monkeypatch.setattr(prove_command, "time", SimpleNamespace(monotonic=lambda: now_s))
    assert prove_command.main(["classic"]) == 0
    output = capsys.readouterr()
    assert output.err == "  10 of 82 positions found so far\n  300 of 5,478 positions found so far\n"
    assert output.out == ("classic: win for X in 5 plies (exact)\nAll of it.\n5,478 positions, 2.2 s, table hash\n")


def test_a_proof_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def prove(*arguments: object) -> Proof:
        raise NotProvedError("another table")

    monkeypatch.setattr(prove_command, "prove", prove)
    assert run(capsys, "classic") == (1, "not proved: another table\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gomoku",), "Name a variant whose empty board is proved: classic"),
        (("classic", "--sample", "-3"), "--sample must be 0 or more, not -3"),
    ],
)
def test_mistakes_are_named(capsys: Capture, arguments: tuple[str, ...], message: str) -> None:
    status, text = run(capsys, *arguments)
    assert status == 2
    assert message in text


def test_the_puzzles_are_proved_again(capsys: Capture) -> None:
    assert run(capsys, "--puzzles", "misere") == (0, "misere: 120 of 120 puzzles proved\n")
    status, text = run(capsys, "--puzzles", "classic", "--seconds", "0")
    assert status == 0
    assert text.endswith("need more than 0 s each\n")


def test_a_false_puzzle_ends_with_one(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def prove_puzzle(*arguments: object) -> None:
        raise NotProvedError("misere-1: two answers")

    monkeypatch.setattr(prove_command, "prove_puzzle", prove_puzzle)
    assert run(capsys, "--puzzles", "misere") == (1, "not proved: misere-1: two answers\n")
