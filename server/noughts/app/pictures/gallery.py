"""The pictures of link previews: a process rasterises one at a time, and the latest are kept."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import noughts
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.rules.game import replay
from noughts.rules.outcome import Outcome
from noughts.rules.svg import scene_svg
from noughts.rules.variant import VARIANTS
from noughts.values import Value

RASTERIZER: Final = (sys.executable, "-m", "noughts.app.pictures.rasterizer")
DRAWING_S: Final = 10.0
"""Seconds after which a process that draws is killed."""
MAX_WAITING: Final = 16
"""Pictures under way. More are rejected: a chat program asks again, or shows the link without a picture."""
KEPT: Final = 256
"""Pictures that are kept. The least recently used are evicted."""

_DIRECTORY: Final = Path(noughts.__file__).parents[1]


class Scene(Value):
    """What a picture shows: a game by its variant's key and its cells, how it ended if it has, and a sentence."""

    variant: str
    moves: tuple[int, ...]
    outcome: Outcome | None
    sentence: str

    @property
    def svg(self) -> str:
        last = self.moves[-1] if self.moves else None
        return scene_svg(replay(VARIANTS[self.variant], self.moves).position, last, self.outcome, self.sentence)


class Gallery:
    """Draws pictures in another process. All callers of one picture share its drawing."""

    def __init__(
        self, tasks: Tasks, *, command: Sequence[str] = RASTERIZER, drawing_s: float = DRAWING_S, kept: int = KEPT
    ) -> None:
        self._tasks = tasks
        self._command = command
        self._drawing_s = drawing_s
        self._most_kept = kept
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
                picture = await self._rasterized(scene.svg)
        finally:
            del self._under_way[scene]
        if not picture:
            raise Rejection("unavailable", "The picture could not be drawn: try again.", retry_ms=2_000)
        self._kept[scene] = picture
        if len(self._kept) > self._most_kept:
            self._kept.popitem(last=False)
        return picture

    async def _rasterized(self, svg: str) -> bytes:
        """Return the PNG that the process makes. Return no bytes if it fails or takes too long."""
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_DIRECTORY
        )
        try:
            async with asyncio.timeout(self._drawing_s):
                picture, _ = await process.communicate(svg.encode())
        except TimeoutError:
            return b""
        finally:
            if process.returncode is None:
                process.kill()
        return picture if process.returncode == 0 else b""
