"""The pictures of link previews: of a room's present game, of a puzzle, of a replay, and of the site."""

from __future__ import annotations

import time
from typing import Final

from aiohttp import hdrs, web

from noughts.app.delivery.routes import Row
from noughts.app.endpoints.requests import ADDRESS
from noughts.app.machines.wing import Read
from noughts.app.page.link_previews import game_sentence, puzzle_task, room_sentence
from noughts.app.page.replays import replay_in
from noughts.app.pictures.gallery import Gallery, Scene
from noughts.app.runtime.limits import PREVIEWS, Limits
from noughts.puzzles.collection import Puzzles
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS

_SITE: Final = Scene(
    "classic",
    replay_names(VARIANTS["classic"], ("b2", "a1", "c1", "a3", "a2")).moves,
    None,
    "Share a link to play a friend, or play the engine.",
)
"""The picture of every page about no game."""


class PreviewEndpoints:
    """Answers with pictures."""

    def __init__(self, read_room: Read, puzzles: Puzzles, gallery: Gallery, limits: Limits) -> None:
        self._read_room = read_room
        self._puzzles = puzzles
        self._gallery = gallery
        self._limits = limits

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the pictures, which are no part of the contract."""
        return (
            Row("GET", "/preview.png", self._site_or_replay, head=True),
            Row("GET", "/r/{id}/preview.png", self._room, head=True),
            Row("GET", "/puzzle/{id}/preview.png", self._puzzle, head=True),
        )

    async def _room(self, request: web.Request) -> web.Response:
        room = await self._read_room(request.match_info["id"])
        game = room.game
        if game is None:
            scene = Scene(room.variant, (), None, room_sentence(room))
        else:
            scene = Scene(game.history.variant.key, game.history.moves, game.outcome, room_sentence(room))
        return await self._answer(request, scene)

    async def _puzzle(self, request: web.Request) -> web.Response:
        puzzle = self._puzzles.puzzle(request.match_info["id"])
        if puzzle is None:
            raise web.HTTPNotFound
        return await self._answer(request, Scene(puzzle.variant.key, puzzle.moves, None, puzzle_task(puzzle)))

    async def _site_or_replay(self, request: web.Request) -> web.Response:
        replay = replay_in(request.query)
        if replay is None:
            return await self._answer(request, _SITE)
        game = replay.game
        scene = Scene(game.variant.key, game.moves, replay.outcome, game_sentence(game, replay.outcome))
        return await self._answer(request, scene)

    async def _answer(self, request: web.Request, scene: Scene) -> web.Response:
        """Return a picture. One that is not kept takes credit, because drawing it takes long."""
        if not self._gallery.is_kept(scene):
            self._limits.take_for_networks(PREVIEWS, request[ADDRESS], time.monotonic())
        headers = {
            hdrs.CACHE_CONTROL: "public, max-age=600",
            "X-Content-Type-Options": "nosniff",
            "X-Robots-Tag": "noindex",
        }
        picture = await self._gallery.picture(scene)
        return web.Response(body=picture, content_type="image/png", headers=headers)
