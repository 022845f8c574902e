"""One endpoint of the contract, as a row of :data:`~noughts.protocol.endpoints.ENDPOINTS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

from noughts.errors import CODES, Code
from noughts.protocol.schemas import Schema, prose

Token: TypeAlias = Literal["needed", "welcome", "unused"]

JSON: Final = "application/json"
HTML: Final = "text/html"
TEXT: Final = "text/plain"
TEXT_SCHEMA: Final[Schema] = {"type": "string"}
"""The schema of every answer that is not JSON."""

_MEANINGS: Final[Mapping[int, str]] = MappingProxyType(
    {
        400: "The request is malformed, or has a secret in its URL.",
        401: "There is no token, or it is unknown. A resume code is wrong, used or expired.",
        403: "You may not do that, or this server has it switched off.",
        404: "The room, or what the URL names, does not exist.",
        409: "Another request came first, or the tournament takes nobody any more.",
        413: "The body is too large.",
        415: "The body is not JSON, or its content type does not say so.",
        429: "Too many requests: wait as long as Retry-After says.",
        500: "The server has a fault.",
        503: "The server cannot do that now: wait as long as Retry-After says.",
    }
)
"""The statuses of rejections that an endpoint may answer with, and what each means."""


class StatusInfo(NamedTuple):
    """What a status of a rejection means, and the codes that come with it."""

    meaning: str
    codes: tuple[Code, ...]


REJECTIONS: Final[Mapping[int, StatusInfo]] = MappingProxyType(
    {
        status: StatusInfo(
            meaning, tuple([code for code, info in CODES.items() if info.status == status and info.over != "socket"])
        )
        for status, meaning in _MEANINGS.items()
    }
)
"""Every status of a rejection. The codes are those of :data:`noughts.errors.CODES`."""

_ALWAYS: Final = (400, 403, 500)
_API: Final = (429, 503)
_BODY: Final = (413, 415)


class Answer(NamedTuple):
    """A successful response: JSON of a type, of one of several types, or of a schema; or another kind of text."""

    body: type | tuple[type, ...] | Schema | None
    status: int = 200
    meaning: str = ""
    """What the response says. If empty, that is the first sentence about its type."""
    media: str = JSON

    @property
    def description(self) -> str:
        """The meaning, as a sentence in Markdown."""
        return self.meaning or prose(self.body.__doc__).partition(". ")[0].removesuffix(".") + "."


PAGE: Final = Answer(TEXT_SCHEMA, meaning="The page.", media=HTML)
NO_PAGE: Final = Answer(TEXT_SCHEMA, 404, "The page for an unknown address.", HTML)


class Parameter(NamedTuple):
    """A parameter in the query, or in braces in the path."""

    name: str
    meaning: str
    schema: Schema
    required: bool = False


class Endpoint(NamedTuple):
    """One endpoint. ``rejected`` lists statuses that only some endpoints have; the others follow from its fields."""

    route: str
    """The method and the path, such as ``GET /api/variants``."""
    name: str
    summary: str
    answer: type | tuple[Answer, ...]
    """The successful responses. A type stands for JSON of it with the status 200."""
    body: type | None = None
    query: tuple[Parameter, ...] = ()
    token: Token = "unused"
    rejected: tuple[int, ...] = ()

    @property
    def method(self) -> str:
        """GET, POST, PATCH or DELETE."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with its parameters in braces."""
        return self.route.partition(" ")[2]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every successful response."""
        return self.answer if isinstance(self.answer, tuple) else (Answer(self.answer),)

    @property
    def rejections(self) -> tuple[int, ...]:
        """Every status with which this endpoint may reject a request."""
        statuses = {*_ALWAYS, *self.rejected}
        if self.path.startswith("/api/"):
            statuses.update(_API)
        if self.body is not None:
            statuses.update(_BODY)
        if self.method == "POST":
            statuses.add(415)
        if self.token == "needed":
            statuses.add(401)
        return tuple(sorted(statuses - {answer.status for answer in self.answers}))
