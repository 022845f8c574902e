"""A program that plays by a neural network lost its model: it resigned some fifteen games a second all night."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.bots.bot_file import BotError
from noughts.bots.chooser import MOST_FAILURES, ChooserPool
from noughts.bots.match_command import view_of
from noughts.protocol.messages import View
from noughts.rules.game import Game


async def test_the_third_failure_running_stops_the_bot(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(
        "def choose(view):\n    if view.game.moves:\n        raise ValueError('no model')\n    return 'b2'\n"
    )
    pool = ChooserPool(file, 1, 30.0)

    async def fails(view: View) -> bool:
        """Return whether a failure stops the bot."""
        with pytest.raises(BotError) as failure:
            await pool.choose(view)
        return failure.value.stops

    try:
        bad, good = view_of(Game.of("classic", "a1"), 1), view_of(Game.of("classic"), 1)
        assert [await fails(bad) for _ in range(MOST_FAILURES)] == [False, False, True]
        assert await pool.choose(good) == "b2"
        assert not await fails(bad)
    finally:
        await pool.stop()
