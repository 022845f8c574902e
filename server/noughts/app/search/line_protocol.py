"""The line protocol between the pool and a worker: one JSON object a line, each way.

::

    pool    {"type":"move","id":7,"variant":{...},"cells":[4],"seconds":1.5,"level":"skilled","seed":1}
    worker  {"type":"answer","id":7,"value":[0,["draw",null,"exact"]]}
    pool    {"type":"limit","id":8,"seconds":0.2}

A worker sends ``ready`` once, when it has started. It then answers each request once, also a limited one. Warnings of the
engine come before the answer to the request that caused them. The variant travels as its fields, so a worker can search a
variant that only the server has in its table.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import msgspec

from noughts.errors import Code
from noughts.rules.variant import Variant


class SearchRequest(msgspec.Struct, frozen=True):
    """Ask for a search of the game ``cells`` that takes at most ``seconds``."""

    id: int
    variant: Variant
    cells: tuple[int, ...]
    seconds: float


class MoveRequest(SearchRequest, frozen=True, tag="move"):
    """Ask for the engine's move. The value of the answer is a ``Choice``."""

    level: str
    seed: int


class VerdictRequest(SearchRequest, frozen=True, tag="verdict"):
    """Ask for the ``Verdict`` of the last position, for the side to move."""


class AnalysisRequest(SearchRequest, frozen=True, tag="analysis"):
    """Ask for an ``AnalysedPly`` for every position of the game, from ply 0."""


class MinimaxRequest(SearchRequest, frozen=True, tag="minimax"):
    """Ask what minimax and alpha-beta do at the last position. The value of the answer is an ``Explained``."""

    alpha: int
    beta: int
    counted_from: int
    depth: int


class Limit(msgspec.Struct, frozen=True, tag="limit"):
    """Tell the worker to end the search of this request within ``seconds``. A request that is already answered is ignored.

    A search can only become shorter. 0 ends it now.
    """

    id: int
    seconds: float


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Report that the worker has started."""


class Warned(msgspec.Struct, frozen=True, tag="warning"):
    """Carry the text of a warning that the engine gave as it searched."""

    text: str


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """Carry the value that a search returned, as JSON."""

    id: int
    value: msgspec.Raw


class Rejected(msgspec.Struct, frozen=True, tag="rejected"):
    """Carry the :class:`~noughts.errors.Rejection` that a search raised."""

    id: int
    code: Code
    message: str
    ply: int | None


class Fault(msgspec.Struct, frozen=True, tag="fault"):
    """Carry the traceback of any other exception that a search raised."""

    id: int
    traceback: str


T = TypeVar("T")

Request: TypeAlias = MoveRequest | VerdictRequest | AnalysisRequest | MinimaxRequest
Reply: TypeAlias = Answer | Rejected | Fault

_encoder = msgspec.json.Encoder()
_to_worker: msgspec.json.Decoder[Request | Limit] = msgspec.json.Decoder(Request | Limit)
_from_worker: msgspec.json.Decoder[Reply | Ready | Warned] = msgspec.json.Decoder(Reply | Ready | Warned)


def line(message: Request | Limit | Reply | Ready | Warned) -> bytes:
    """Return the message as one line, newline included."""
    return _encoder.encode(message) + b"\n"


def raw(result: object) -> msgspec.Raw:
    """Return a search's value as JSON, for an :class:`Answer`."""
    return msgspec.Raw(_encoder.encode(result))


def value(answer: Answer, form: type[T]) -> T:
    """Return the value that an answer carries. Raise ``msgspec.DecodeError`` if it has another form."""
    return msgspec.json.decode(answer.value, type=form)


def read_request(text: bytes) -> Request | Limit:
    """Return what the pool sent. Raise ``msgspec.DecodeError`` for any other line."""
    return _to_worker.decode(text)


def read_reply(text: bytes) -> Reply | Ready | Warned:
    """Return what a worker sent. Raise ``msgspec.DecodeError`` for any other line."""
    return _from_worker.decode(text)
