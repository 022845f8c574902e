"""The pictures of link previews: each is drawn by a process of its own, one at a time, and the latest are kept."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import OrderedDict
from pathlib import Path
from typing import Final

import msgspec

import noughts
from noughts.app.pictures.drawing import Scene
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection

_COMMAND: Final = (sys.executable, "-m", "noughts.app.pictures.drawing")
_DIRECTORY: Final = Path(noughts.__file__).parents[1]
DRAWING_S: Final = 10.0
"""Seconds after which a process that draws is killed."""
MAX_WAITING: Final = 16
"""Pictures under way. More are rejected: a chat program asks again, or shows the link without a picture."""
KEPT: Final = 256
"""Pictures that are kept. The least recently used are evicted."""


class Gallery:
    """Draws pictures outside the event loop. All callers of one picture share its drawing."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._kept: OrderedDict[Scene, bytes] = OrderedDict()
        self._under_way: dict[Scene, asyncio.Task[bytes]] = {}
        self._one_process = asyncio.Lock()

    def is_kept(self, scene: Scene) -> bool:
        """Return whether a picture needs no drawing, because it is done or under way."""
        return scene in self._kept or scene in self._under_way

    async def picture(self, scene: Scene) -> bytes:
        """Return a picture as a PNG. Raise ``unavailable`` if too many wait, or if it cannot be drawn."""
        if scene in self._kept:
            self._kept.move_to_end(scene)
            return self._kept[scene]
        drawing = self._under_way.get(scene)
        if drawing is None:
            if len(self._under_way) >= MAX_WAITING:
                raise Rejection("unavailable", "The server draws other pictures now: try again.", retry_ms=2_000)
            drawing = self._under_way[scene] = self._tasks.run(self._draw(scene))
        return await asyncio.shield(drawing)

    async def _draw(self, scene: Scene) -> bytes:
        try:
            async with self._one_process:
                picture = await _drawn(scene)
        finally:
            del self._under_way[scene]
        if not picture:
            raise Rejection("unavailable", "The picture could not be drawn: try again.", retry_ms=2_000)
        self._kept[scene] = picture
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return picture


async def _drawn(scene: Scene) -> bytes:
    """Return what the process draws; nothing if it fails or takes too long."""
    process = await asyncio.create_subprocess_exec(*_COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_DIRECTORY)
    try:
        async with asyncio.timeout(DRAWING_S):
            picture, _ = await process.communicate(msgspec.json.encode(scene))
    except TimeoutError:
        return b""
    finally:
        if process.returncode is None:
            process.kill()
    return picture if process.returncode == 0 else b""
