"""``noughts match`` as it is typed: games, counts, and mistakes in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noughts.bots.match_command import opening, view_of
from noughts.command_line import main
from noughts.rules.game import Game
from noughts.rules.variant import VARIANTS

Capture = pytest.CaptureFixture[str]


def match(capsys: Capture, *arguments: object) -> tuple[int, str, str]:
    """Run the command. Return its exit status and both outputs."""
    status = main(["match", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_openings_vary_by_seed_and_are_played_twice() -> None:
    for variant in VARIANTS.values():
        openings = [opening(variant, 1, number).moves for number in range(1, 41)]
        assert openings[0::2] == openings[1::2]
        assert len(set(openings)) > 8
        assert openings != [opening(variant, 2, number).moves for number in range(1, 41)]


def test_the_stronger_player_wins_and_equal_seeds_play_equal_games(capsys: Capture) -> None:
    """Each game is one line. The players change marks, and the last line counts."""
    status, out, err = match(capsys, "perfect", "novice", "--games", 6, "--variant", "misere")
    assert (status, err) == (0, "")
    *games, counts = out.splitlines()
    line = r"game (\d): (draw|(perfect|novice) wins as [XO]):( [a-c][1-3])+"
    assert [re.fullmatch(line, game)[1] for game in games] == list("123456")  # type: ignore[index]
    wins, losses = out.count("perfect wins"), out.count("novice wins")
    assert wins > losses
    assert counts == f"Misère, perfect against novice: wins {wins}, draws {6 - wins - losses}, losses {losses}"
    assert match(capsys, "perfect", "novice", "--games", 6, "--variant", "misere")[1] == out


@pytest.mark.parametrize("answer", ["{}['oops']", "'z9'"])
def test_a_bot_that_fails_loses_that_game(capsys: Capture, tmp_path: Path, answer: str) -> None:
    """The reason and the traceback are printed."""
    path = tmp_path / "novice.py"
    path.write_text(f"def choose(view):\n    return {answer}\n")
    status, out, err = match(capsys, "novice", path, "--games", 2)
    assert status == 0
    assert out.endswith("Tic-tac-toe, novice against novice 2: wins 2, draws 0, losses 0\n")
    assert err.startswith("game 1: novice 2 loses: choose r")
    assert ("Traceback" in err) == ("oops" in answer)


def test_mistakes_are_one_line(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("")
    for arguments, message in (
        (("novice", "wizard"), "'wizard' is no level of Tic-tac-toe and no bot file. The levels are: novice, casual"),
        (("novice", "none.py"), "there is no file none.py: name a Python file"),
        (("novice", tmp_path / "empty.py"), "has no function choose: define"),
        (("novice", "casual", "--variant", "chess"), "there is no variant 'chess': choose one of classic, misere"),
        (("novice", "casual", "--games", 0), "--games and --seconds must be more than 0."),
    ):
        status, out, err = match(capsys, *arguments)
        assert (status, out) == (2, "")
        assert err.startswith("noughts: ")
        assert message in err
        assert err.count("\n") == 1


def test_a_bot_sees_what_it_would_see_in_a_room() -> None:
    view = view_of(Game.of("classic", "b2 a1"), 7)
    assert (view.id, view.variant, view.phase) == ("match-7", "classic", "playing")
    assert view.game is not None
    assert (view.game.turn, view.game.moves, view.game.marks) == ("X", ("b2", "a1"), {"b2": "X", "a1": "O"})
    assert view.game.legal == ("b1", "c1", "a2", "c2", "a3", "b3", "c3")
    over = view_of(Game.of("classic", "a1 a2 b1 b2 c1"), 1)
    assert over.game is not None
    assert (over.phase, over.game.turn, over.game.legal) == ("finished", None, ())
