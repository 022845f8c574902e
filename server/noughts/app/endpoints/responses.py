"""HTTP responses: files of the page, JSON, and rejections as the contract's error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aiohttp import hdrs, web

from noughts.app.endpoints.requests import JSON_WANTED
from noughts.app.page.files import HEADERS, PageFile
from noughts.errors import CODES, Code, Rejection
from noughts.protocol.bodies import ErrorAnswer, ErrorView
from noughts.protocol.codec import encode

RETRY_CODES: Final[frozenset[Code]] = frozenset(
    ("rate_limited", "too_many_rooms", "too_many_tournaments", "unavailable")
)
"""The codes that always come with Retry-After."""
_MESSAGES: Final[Mapping[Code, str]] = MappingProxyType(
    {
        "bad_message": "The request is malformed.",
        "forbidden": "That is not allowed.",
        "not_found": "There is nothing at this address.",
        "not_allowed": "This address takes other methods: see the Allow header.",
        "too_large": "The body is too large.",
        "unsupported_media": JSON_WANTED,
    }
)
"""The messages for requests that aiohttp itself rejects, by the code of the status."""
_CODE_OF_STATUS: Final[Mapping[int, Code]] = MappingProxyType({CODES[code].status: code for code in _MESSAGES})


def file_response(request: web.Request, file: PageFile, headers: Mapping[str, str], status: int = 200) -> web.Response:
    """Return a file, compressed if the client accepts that."""
    kind = f"{file.kind}; charset=utf-8" if file.kind.startswith("text/") else file.kind
    headers = {**HEADERS, hdrs.CONTENT_TYPE: kind, hdrs.VARY: hdrs.ACCEPT_ENCODING, **headers}
    if accepts_gzip(", ".join(request.headers.getall(hdrs.ACCEPT_ENCODING, []))):
        return web.Response(status=status, body=file.packed, headers={**headers, hdrs.CONTENT_ENCODING: "gzip"})
    return web.Response(status=status, body=file.body, headers=headers)


def accepts_gzip(header: str) -> bool:
    """Return whether a client's Accept-Encoding allows gzip (RFC 9110, section 12.5.3)."""
    weights: dict[str, bool] = {}
    for part in header.lower().split(","):
        coding, _, parameters = part.partition(";")
        weight = "".join(parameters.split()).removeprefix("q=")
        weights[coding.strip()] = bool(weight.strip("0.")) or not parameters
    return weights.get("gzip", weights.get("*", False))


def json_response(value: object, status: int = 200) -> web.Response:
    """Return a value as a JSON response that no cache may keep."""
    headers = {hdrs.CACHE_CONTROL: "no-store", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=encode(value), status=status, content_type="application/json", headers=headers)


def rejection_response(rejection: Rejection) -> web.Response:
    """Return a rejection as the contract's error, with the status of its code."""
    error = ErrorView(rejection.code, rejection.message, rejection.ply)
    response = json_response(ErrorAnswer(error), CODES[rejection.code].status)
    if rejection.retry_ms is not None or rejection.code in RETRY_CODES:
        response.headers[hdrs.RETRY_AFTER] = str(max(1, math.ceil((rejection.retry_ms or 1_000) / 1000)))
    if rejection.code == "unauthorized":
        response.headers[hdrs.WWW_AUTHENTICATE] = "Bearer"
    return response


def http_error_response(error: web.HTTPException) -> web.Response:
    """Return the contract's error for a request that aiohttp rejects, such as one to an unknown address."""
    code = _CODE_OF_STATUS.get(error.status, "bad_message")
    response = json_response(ErrorAnswer(ErrorView(code, _MESSAGES[code])), error.status)
    if hdrs.ALLOW in error.headers:
        response.headers[hdrs.ALLOW] = error.headers[hdrs.ALLOW]
    return response
