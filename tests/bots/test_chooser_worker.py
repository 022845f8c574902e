"""The process of a bot, a level or the judge, run in this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from noughts.bots.bot_file import BotError
from noughts.bots.chooser_worker import BotChooser, Judge, LevelChooser
from noughts.bots.game_views import view_of
from noughts.bots.line_messages import ChooseMove, Chosen, Failed, Judged, JudgeGame, Ready, decode_answer, line
from noughts.rules.game import Game

WON = view_of(Game.of("classic", "a1 a2 b1 b2"), 1)


def talk(*arguments: str, requests: bytes = b"") -> tuple[list[object], str, int]:
    """Run a worker on some requests. Return its answers, its standard error and its exit status."""
    command = [sys.executable, "-m", "noughts.bots.chooser_worker", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    answers: list[object] = [decode_answer(process.stdout.readline())]
    process.stdin.write(requests)
    process.stdin.flush()
    answers += [decode_answer(process.stdout.readline()) for _ in requests.splitlines()]
    process.stdin.close()
    errors = process.stderr.read().decode()
    process.stdout.close()
    process.stderr.close()
    return answers, errors, process.wait(30)


async def test_a_level_plays_the_same_game_again() -> None:
    first, second = (LevelChooser("perfect", "seed", 5.0) for _ in range(2))
    assert await first.answer(ChooseMove(WON)) == Chosen("c1")
    empty = ChooseMove(view_of(Game.of("classic"), 3))
    assert await first.answer(empty) == await second.answer(empty)


async def test_the_judge_values_every_position() -> None:
    judged = await Judge().answer(JudgeGame("classic", ("a1", "a2", "b1", "b2", "c1"), 5.0))
    assert judged == Judged(("draw", "draw", "win", "loss", "win", None))


async def test_a_bot_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "some_bot.py"
    path.write_text("def choose(view):\n    return 'c1'")
    assert await BotChooser(path).answer(ChooseMove(WON)) == Chosen("c1")
    with pytest.raises(BotError):
        await BotChooser(path).answer(ChooseMove(view_of(Game.of("classic", "c1"), 1)))


def test_a_worker_ends_with_its_input(tmp_path: Path) -> None:
    """What a bot prints is no answer."""
    path = tmp_path / "some_bot.py"
    path.write_text(
        "print('loading')\ndef choose(view):\n    print('choosing')\n    return 'c1' if view.game.moves else 1 / 0"
    )
    requests = line(ChooseMove(WON)) + line(ChooseMove(view_of(Game.of("classic"), 1)))
    answers, errors, status = talk("bot", str(path), requests=requests)
    assert answers[:2] == [Ready(), Chosen("c1")]
    assert isinstance(answers[2], Failed)
    assert "ZeroDivisionError" in answers[2].detail
    assert errors == "loading\nchoosing\nchoosing\n"
    assert status == 0
