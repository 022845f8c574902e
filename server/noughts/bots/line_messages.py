"""The lines between a program and the processes in which bots, levels and the judge of moves run. Each line is JSON."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from noughts.engine.verdict import Value as VerdictValue
from noughts.protocol.codec import encode
from noughts.protocol.messages import View
from noughts.values import Tagged


class ChooseMove(Tagged):
    """Choose a move for the side to move in a view."""

    view: View


class JudgeGame(Tagged):
    """Find the value of every position of a game, for the side to move, within ``seconds``."""

    variant: str
    moves: tuple[str, ...]
    seconds: float


class Ready(Tagged):
    """The process takes requests now."""


class Chosen(Tagged):
    """The cell that was chosen."""

    cell: str


class Failed(Tagged):
    """There is no answer. ``detail`` is a traceback of the bot's own code, or empty."""

    reason: str
    detail: str


class Judged(Tagged):
    """The values of the positions, from ply 0. The last one is null after the end of the game."""

    values: tuple[VerdictValue | None, ...]


Request: TypeAlias = ChooseMove | JudgeGame
Answer: TypeAlias = Ready | Chosen | Failed | Judged

_request: Final[msgspec.json.Decoder[Request]] = msgspec.json.Decoder(Request)
_answer: Final[msgspec.json.Decoder[Answer]] = msgspec.json.Decoder(Answer)

decode_request: Final = _request.decode
decode_answer: Final = _answer.decode


def line(message: Request | Answer) -> bytes:
    """Return a message as a line."""
    return encode(message) + b"\n"
