"""The process of a bot: lines in, lines out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from noughts.bots.chooser_worker import Answer, decode_answer, line
from noughts.bots.match import view_of
from noughts.rules.game import Game

WON = view_of(Game.of("classic", "a1 a2 b1 b2"), 1)


def talk(*arguments: str, requests: bytes = b"") -> tuple[list[Answer], str, int]:
    """Run a worker on some requests. Return its answers, its standard error and its exit status."""
    command = [sys.executable, "-m", "noughts.bots.chooser_worker", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    answers: list[Answer] = [decode_answer(process.stdout.readline())]
    process.stdin.write(requests)
    process.stdin.flush()
    answers += [decode_answer(process.stdout.readline()) for _ in requests.splitlines()]
    process.stdin.close()
    errors = process.stderr.read().decode()
    process.stdout.close()
    process.stderr.close()
    return answers, errors, process.wait(30)


def test_a_worker_ends_with_its_input(tmp_path: Path) -> None:
    """What a bot prints is no answer."""
    path = tmp_path / "some_bot.py"
    path.write_text(
        "print('loading')\ndef choose(view):\n    print('choosing')\n    return 'c1' if view.game.moves else 1 / 0"
    )
    requests = line(WON) + line(view_of(Game.of("classic"), 1))
    answers, errors, status = talk(str(path), requests=requests)
    assert answers[:2] == [Answer(), Answer("c1")]
    assert "ZeroDivisionError" in answers[2].detail
    assert errors == "loading\nchoosing\nchoosing\n"
    assert status == 0
