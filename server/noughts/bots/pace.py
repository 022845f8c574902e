"""The pace of a bot's commands, below the limit that a server has for one player.

A server that has no credit left for a player reads none of the player's sockets. Which of them it reads next is a matter of
luck, so one room of many could lose on time. Here the rooms take turns instead.
"""

from __future__ import annotations

import asyncio
import math
from typing import Final

PER_S: Final = 25.0
"""Commands a second, of all rooms together. Servers allow 30."""
BURST: Final = 100
"""Commands at once after a rest. Servers allow 120."""


class Pace:
    """Spaces the commands of all rooms of a bot, first come, first served."""

    def __init__(self, per_s: float = PER_S, burst: int = BURST) -> None:
        self._gap_s = 1.0 / per_s
        self._rest_s = burst / per_s
        self._next_s = -math.inf

    async def turn(self) -> None:
        """Return when the next command may be sent."""
        now_s = asyncio.get_running_loop().time()
        self._next_s = max(self._next_s, now_s - self._rest_s) + self._gap_s
        if self._next_s > now_s:
            await asyncio.sleep(self._next_s - now_s)
