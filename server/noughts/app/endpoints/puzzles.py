"""Endpoints of puzzles. A try costs no search: the files hold what each move leads to."""

from __future__ import annotations

import datetime as dt

from aiohttp import web

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import body_of
from noughts.app.endpoints.responses import json_response
from noughts.app.runtime.clock import ServerClock
from noughts.errors import Rejection
from noughts.protocol.puzzle_bodies import DailyPuzzle, PuzzleAnswer, PuzzleTry
from noughts.protocol.puzzle_views import judgement_view, puzzle_view
from noughts.puzzles.collection import Puzzles
from noughts.puzzles.puzzle import GRADES, KINDS, Kind, Puzzle, judge
from noughts.rules.variant import variant_named


class PuzzleEndpoints:
    """Shows puzzles and judges tries."""

    def __init__(self, clock: ServerClock, puzzles: Puzzles) -> None:
        self._clock = clock
        self._puzzles = puzzles

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("puzzles", self.next),
            row("dailyPuzzle", self.daily),
            row("puzzle", self.show),
            row("tryPuzzle", self.attempt),
        )

    async def next(self, request: web.Request) -> web.Response:
        query = request.query
        variant = variant_named(query["variant"]).key if "variant" in query else None
        grade, kind = _grade(query.get("grade")), _kind(query.get("kind"))
        try:
            puzzle, count = self._puzzles.next(variant, grade, kind, query.get("after"))
        except KeyError:
            raise _unknown() from None
        return json_response(PuzzleAnswer(None if puzzle is None else puzzle_view(puzzle), count))

    async def daily(self, request: web.Request) -> web.Response:
        variant = variant_named(request.query["variant"]).key if "variant" in request.query else None
        day = dt.datetime.fromtimestamp(self._clock.now_ms() / 1000, dt.UTC).date()
        puzzle = self._puzzles.daily(day, variant)
        if puzzle is None:
            raise _unknown()
        return json_response(DailyPuzzle(puzzle_view(puzzle), day.isoformat()))

    async def show(self, request: web.Request) -> web.Response:
        return json_response(puzzle_view(self._puzzle(request)))

    async def attempt(self, request: web.Request) -> web.Response:
        puzzle, body = self._puzzle(request), await body_of(request, PuzzleTry)
        judgement = judge(puzzle, body.moves, give_up=body.give_up)
        return json_response(judgement_view(puzzle, judgement, body.moves))

    def _puzzle(self, request: web.Request) -> Puzzle:
        puzzle = self._puzzles.puzzle(request.match_info["id"])
        if puzzle is None:
            raise _unknown()
        return puzzle


def _unknown() -> Rejection:
    return Rejection("unknown_puzzle", "This server has no such puzzle: ask for the next one.")


def _grade(text: str | None) -> int | None:
    if text is None:
        return None
    if text not in [str(grade) for grade in GRADES]:
        raise Rejection("bad_message", "grade must be 1 to 5.")
    return int(text)


def _kind(text: str | None) -> Kind | None:
    if text is None:
        return None
    for kind in KINDS:
        if text == kind:
            return kind
    raise Rejection("bad_message", f"kind must be one of: {', '.join(KINDS)}.")
