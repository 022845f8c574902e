"""An outbox: keys that one part puts in, and a task of a part above takes out."""

from __future__ import annotations

import asyncio


class Outbox:
    """Keys without a time. A key that is in it already is not put in again. One task may wait for them."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}
        self._filled = asyncio.Event()

    def __len__(self) -> int:
        return len(self._keys)

    def put(self, key: str) -> None:
        """Put in a key."""
        self._keys[key] = None
        self._filled.set()

    async def taken(self) -> list[str]:
        """Wait for keys. Remove and return all of them in the order in which they were put in."""
        await self._filled.wait()
        keys = list(self._keys)
        self._keys.clear()
        self._filled.clear()
        return keys
