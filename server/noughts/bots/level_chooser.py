"""The engine at one of its levels as a bot's function: a player like any other, whose moves are found on this machine."""

from __future__ import annotations

import asyncio

from noughts.bots.bot_file import BotError
from noughts.errors import Rejection
from noughts.library import choose
from noughts.protocol.messages import View
from noughts.rules.game import replay
from noughts.rules.variant import variant_named

SECONDS = 1.0
"""Seconds for a move: as many as a server's engine has by default."""


class LevelChooser:
    """Chooses the engine's moves at a level. A level that a variant lacks plays at the strongest one."""

    def __init__(self, level: str, seconds: float = SECONDS) -> None:
        self._level = level
        self._seconds = seconds

    async def start(self) -> None:
        """Do nothing: the engine needs no process."""

    async def stop(self) -> None:
        """Do nothing."""

    async def choose(self, view: View) -> str:
        """Return the engine's move in the position of a view. Raise :class:`~noughts.bots.bot_file.BotError`."""
        return await asyncio.to_thread(self._chosen, view)

    def _chosen(self, view: View) -> str:
        if view.game is None:
            raise BotError("no game is on.")
        variant = variant_named(view.game.variant)
        game = replay(variant, tuple([variant.index_of[cell] for cell in view.game.moves]))
        try:
            return choose(game, self._level, seconds=self._seconds)
        except Rejection as rejection:
            if rejection.code != "bad_message":
                raise BotError(rejection.message) from None
        return choose(game, seconds=self._seconds)
