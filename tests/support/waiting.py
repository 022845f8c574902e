"""A wait for something that shows in a value, not in an event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from tests.support.player import WAIT_S

POLL_S: Final = 0.001


async def until(condition: Callable[[], bool], limit_s: float = WAIT_S, poll_s: float = POLL_S) -> None:
    """Let other tasks run until the condition holds. Raise TimeoutError if it does not hold in time."""
    async with asyncio.timeout(limit_s):
        while not condition():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(poll_s)
