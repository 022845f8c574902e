"""The gallery: pictures are shared and kept, never too many at once, and drawn outside the event loop."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from noughts.app.pictures.gallery import MAX_WAITING, Gallery, Scene
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection


def scene(number: int = 0) -> Scene:
    """Return one of several scenes."""
    return Scene("classic", (4,), None, f"Sentence {number}.")


async def test_a_picture_is_drawn_once() -> None:
    gallery = Gallery(Tasks())
    first, second = await asyncio.gather(gallery.picture(scene()), gallery.picture(scene()))
    assert first is second
    assert first.startswith(b"\x89PNG")
    assert gallery.is_kept(scene())
    assert not gallery.is_kept(scene(1))
    assert await gallery.picture(scene()) is first


async def test_the_event_loop_goes_on_while_a_picture_is_drawn() -> None:
    """The loop's own work for a picture, the start of a process included, is a small part of the time that it takes."""
    gallery = Gallery(Tasks())
    drawing = asyncio.create_task(gallery.picture(scene()))
    started_s = time.monotonic()
    turns = 0
    while not drawing.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > (time.monotonic() - started_s) / 0.02


async def test_too_many_pictures_are_rejected() -> None:
    tasks = Tasks()
    gallery = Gallery(tasks)
    waiting = [asyncio.create_task(gallery.picture(scene(number))) for number in range(MAX_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Rejection, match="other pictures"):
        await gallery.picture(scene(MAX_WAITING))
    await tasks.stop(0.0)
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not gallery.is_kept(scene())


async def test_a_picture_that_cannot_be_drawn_is_rejected() -> None:
    """The next caller tries again."""
    gallery = Gallery(Tasks(), command=(sys.executable, "-c", "raise SystemExit(1)"))
    for _ in range(2):
        with pytest.raises(Rejection, match="could not be drawn"):
            await gallery.picture(scene())
    assert not gallery.is_kept(scene())


async def test_a_picture_that_takes_too_long_is_rejected() -> None:
    """Its process is killed."""
    gallery = Gallery(Tasks(), command=(sys.executable, "-c", "import time; time.sleep(60)"), drawing_s=0.1)
    with pytest.raises(Rejection, match="could not be drawn"):
        await gallery.picture(scene())


async def test_the_least_recently_used_pictures_are_evicted() -> None:
    gallery = Gallery(Tasks(), kept=2)
    for number in (0, 1, 0, 2):
        await gallery.picture(scene(number))
    assert [gallery.is_kept(scene(number)) for number in range(3)] == [True, False, True]
