"""Processes that choose: one that hangs or dies is killed alone, and the next request has a new one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.bots.bot_file import BotError
from noughts.bots.chooser import Chooser, ChooserPool
from noughts.bots.match_command import view_of
from noughts.rules.game import Game

EMPTY, LATER = view_of(Game.of("classic"), 1), view_of(Game.of("classic", "a1"), 1)
BOT = """
import os, time
def choose(view):
    if view.game.moves:
        return "b2"
    {trouble}
"""
SECONDS = 30.0


def bot(folder: Path, trouble: str) -> Path:
    path = folder / "some_bot.py"
    path.write_text(BOT.replace("{trouble}", trouble))
    return path


@pytest.mark.parametrize(
    ("trouble", "seconds", "reason"),
    [
        ("while True: pass", 1.0, "choose took longer than 1 s: allow more with --seconds"),
        ("os._exit(1)", SECONDS, "its process ended without an answer"),
        ("return 'z9'", SECONDS, "choose returned 'z9'"),
        ("raise KeyError", SECONDS, "choose raised KeyError"),
        # Ctrl-C in a terminal does not reach the process, which would print a traceback.
        ("raise KeyError(os.getsid(0) == os.getpid())", SECONDS, "choose raised KeyError: True"),
    ],
)
async def test_a_bot_in_trouble_is_asked_again(tmp_path: Path, trouble: str, seconds: float, reason: str) -> None:
    process = Chooser(bot(tmp_path, trouble), seconds)
    try:
        with pytest.raises(BotError, match=reason):
            await process.choose(EMPTY)
        assert await process.choose(LATER) == "b2"
    finally:
        await process.stop()
        await process.stop()


async def test_a_process_that_runs_is_not_started_again(tmp_path: Path) -> None:
    process = Chooser(bot(tmp_path, "return str(os.getpid())"), SECONDS)
    try:
        pids = set()
        for _ in range(2):
            await process.start()
            with pytest.raises(BotError, match="choose returned '") as error:
                await process.choose(EMPTY)
            pids.add(error.value.reason)
        assert len(pids) == 1
    finally:
        await process.stop()


async def test_what_a_bot_prints_is_no_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    chooser = Chooser(bot(tmp_path, "print('choosing')"), SECONDS)
    with pytest.raises(BotError, match="choose returned None"):
        await chooser.choose(EMPTY)
    await chooser.stop()
    assert tuple(capfd.readouterr()) == ("", "choosing\n")


def test_a_process_ends_with_its_parent(tmp_path: Path) -> None:
    """The parent is killed while the bot is busy. The bot has the same pipe, which ends with it."""
    path = tmp_path / "busy.py"
    path.write_text("import time\ndef choose(view):\n    print('busy', flush=True)\n    time.sleep(600)\n")
    command = [sys.executable, "-m", "noughts", "match", str(path), str(path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stderr is not None
        assert parent.stderr.readline() == "busy\n"
        parent.kill()
        assert parent.stderr.read() == ""


async def test_a_pool_has_a_process_for_each_of_a_few_callers(tmp_path: Path) -> None:
    pool = ChooserPool(bot(tmp_path, "return 'a1'"), 2, SECONDS)
    try:
        await pool.start()
        assert await asyncio.gather(*[pool.choose(EMPTY) for _ in range(6)]) == ["a1"] * 6
        asking = asyncio.ensure_future(pool.choose(EMPTY))
        await asyncio.sleep(0)
        asking.cancel()
        assert await pool.choose(LATER) == "b2"
    finally:
        await pool.stop()


async def test_a_file_that_is_no_bot_fails_at_the_start(tmp_path: Path) -> None:
    pool = ChooserPool(tmp_path / "none.py", 2, SECONDS)
    with pytest.raises(BotError, match="there is no file"):
        await pool.start()
    await pool.stop()
