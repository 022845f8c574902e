"""Bot files: what is loaded, what a bot may answer, and how much of a traceback its author sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.bots.bot_file import BotError, chosen_cell, legal_cell, load_bot
from noughts.bots.match_command import view_of
from noughts.rules.game import Game

VIEW = view_of(Game.of("classic", "b2"), 1)


def bot(folder: Path, source: str) -> Path:
    path = folder / "some_bot.py"
    path.write_text(source)
    return path


@pytest.mark.parametrize("head", ["def", "async def"])
async def test_a_bot_chooses_a_cell(tmp_path: Path, head: str) -> None:
    path = bot(tmp_path, f"{head} choose(view):\n    return view.game.legal[0]")
    assert await chosen_cell(load_bot(path), VIEW) == "a1"


async def test_a_bot_may_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "my_neighbour.py").write_text("CELL = 'c3'")
    path = bot(tmp_path, "import my_neighbour\ndef choose(view):\n    return my_neighbour.CELL")
    assert await chosen_cell(load_bot(path), VIEW) == "c3"


@pytest.mark.parametrize(
    ("source", "reason", "detail"),
    [
        ("x = 1", r"has no function choose: define `def choose\(view\)`", ""),
        ("choose = 1", "has no function choose", ""),
        ("import no_such_module_at_all", "cannot be imported: ModuleNotFoundError", "line 1, in <module>"),
        ("def choose(:", "cannot be imported: SyntaxError", "def choose(:"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3", "raise SystemExit(3)"),
    ],
)
def test_a_file_that_is_no_bot_is_named(tmp_path: Path, source: str, reason: str, detail: str) -> None:
    with pytest.raises(BotError, match=reason) as error:
        load_bot(bot(tmp_path, source))
    assert detail in error.value.detail


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"there is no file .*: name a Python file"):
        load_bot(tmp_path / "none.py")
    (tmp_path / "bot.txt").write_text("")
    with pytest.raises(BotError, match=r"its name must end in \.py"):
        load_bot(tmp_path / "bot.txt")


@pytest.mark.parametrize(
    ("source", "reason", "place"),
    [
        ("def choose(view):\n    raise KeyError('oops')", "choose raised KeyError: 'oops'", "line 2, in choose"),
        ("def choose():\n    return 'a1'", "takes 0 positional arguments", "TypeError"),
    ],
)
async def test_a_failure_has_a_traceback(tmp_path: Path, source: str, reason: str, place: str) -> None:
    with pytest.raises(BotError, match=reason) as error:
        await chosen_cell(load_bot(bot(tmp_path, source)), VIEW)
    assert place in error.value.detail


class Unprintable:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("z9", "'z9', which is no legal cell: a1, b1"),
        (None, "None"),
        ("b2", "'b2'"),
        (Unprintable(), "a Unprintable"),
        ("x" * 99, r"\.\.\."),
    ],
)
def test_nonsense_is_rejected_with_the_legal_cells(answer: object, text: str) -> None:
    with pytest.raises(BotError, match=f"choose returned .*{text}"):
        legal_cell(answer, VIEW)
