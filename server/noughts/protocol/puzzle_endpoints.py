"""The HTTP endpoints about puzzles: a part of the contract's table."""

from __future__ import annotations

from typing import Final

from noughts.protocol.endpoint import Answer, Endpoint, Parameter
from noughts.protocol.puzzle_bodies import DailyPuzzle, PuzzleAnswer, PuzzleJudgement, PuzzleTry, PuzzleView
from noughts.protocol.schemas import Schema
from noughts.puzzles.puzzle import KINDS
from noughts.rules.variant import VARIANTS

_VARIANT: Final[Schema] = {"enum": list(VARIANTS)}

PUZZLE_ENDPOINTS: Final = (
    Endpoint(
        "GET",
        "/api/puzzles",
        "puzzles",
        "Return the next puzzle that fits, the first again after the last.",
        (Answer(200, "The puzzle, null if none fits, and how many fit.", PuzzleAnswer),),
        query=(
            Parameter("variant", "Puzzles of one variant only.", _VARIANT),
            Parameter(
                "grade", "Puzzles of one grade only, 1 the easiest.", {"type": "integer", "minimum": 1, "maximum": 5}
            ),
            Parameter("kind", "Puzzles of one kind only.", {"enum": list(KINDS)}),
            Parameter("after", "The id of the puzzle before the next one.", {"type": "string"}),
        ),
        rejected=(404,),
    ),
    Endpoint(
        "GET",
        "/api/puzzles/daily",
        "dailyPuzzle",
        "Return the puzzle of the day, by the UTC date.",
        (Answer(200, "The puzzle and the date.", DailyPuzzle),),
        query=(Parameter("variant", "The day's puzzle of one variant.", _VARIANT),),
        rejected=(404,),
    ),
    Endpoint(
        "GET",
        "/api/puzzles/{id}",
        "puzzle",
        "Return a puzzle without its answer.",
        (Answer(200, "The puzzle.", PuzzleView),),
        rejected=(404,),
    ),
    Endpoint(
        "POST",
        "/api/puzzles/{id}/tries",
        "tryPuzzle",
        "Try a move in a puzzle, or give up.",
        (Answer(200, "Whether it is right, and the reply to it.", PuzzleJudgement),),
        body=PuzzleTry,
        rejected=(404,),
    ),
)
"""All endpoints about puzzles."""
