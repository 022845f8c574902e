"""Keys from one part to a task above it."""

from __future__ import annotations

import asyncio

from noughts.app.machines.outbox import Outbox


async def test_a_task_takes_each_key_once_in_their_order() -> None:
    outbox = Outbox()
    taking = asyncio.create_task(outbox.taken())
    await asyncio.sleep(0)
    assert not taking.done()
    for key in ("b", "a", "b"):
        outbox.put(key)
    assert (await taking, len(outbox)) == (["b", "a"], 0)
    outbox.put("b")
    assert await outbox.taken() == ["b"]
