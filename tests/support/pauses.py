"""Endless tasks of the server, with pauses that take no time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.support.flaky_store import FlakyStore


async def run_through_pauses(
    endless: Coroutine[Any, Any, None], store: FlakyStore, monkeypatch: pytest.MonkeyPatch, count: int = 5
) -> None:
    """Run an endless task until it has paused this often. Each pause lasts until the store has done its work."""
    pauses = 0

    async def no_wait(seconds: float) -> None:
        nonlocal pauses
        pauses += asyncio.current_task() is task  # `asyncio.sleep` is replaced for all tasks of the process
        await store.settle()

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "sleep", no_wait)
        task = asyncio.create_task(endless)
        while pauses < count and not task.done():
            await store.settle()
        task.cancel()
        await asyncio.wait([task])
    if not task.cancelled():
        await task
