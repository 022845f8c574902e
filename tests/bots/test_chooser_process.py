"""Processes that choose: one that hangs or dies is killed alone, and the next request has a new one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from noughts.bots.bot_file import BotError
from noughts.bots.chooser_process import ChooserPool, ChooserProcess
from noughts.bots.match import view_of
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
    process = ChooserProcess(bot(tmp_path, trouble), seconds)
    try:
        with pytest.raises(BotError, match=reason):
            await process.choose(EMPTY)
        assert await ChooserProcess.choose(process, LATER) == "b2"
    finally:
        await process.stop()
        await process.stop()


async def test_a_process_that_runs_is_not_started_again(tmp_path: Path) -> None:
    process = ChooserProcess(bot(tmp_path, "return str(os.getpid())"), SECONDS)
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


async def test_a_process_that_has_ended_has_nothing_to_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next request has a new one."""
    children: list[asyncio.subprocess.Process] = []
    create = asyncio.create_subprocess_exec

    async def remember(*arguments: str, **options: Any) -> asyncio.subprocess.Process:
        children.append(await create(*arguments, **options))
        return children[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", remember)
    process = ChooserProcess(bot(tmp_path, ""), SECONDS)
    await process.start()
    children[0].kill()
    await children[0].wait()
    await process.stop()
    assert await process.choose(LATER) == "b2"
    await process.stop()


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
