"""Who may use the endpoints under ``/admin/``: the command line with its secret, and the admin page with its session.

``noughts admin`` gets a code, which works once. The admin page exchanges it for a session, which it sends in a header. A
browser adds no such header by itself, so a page of another site cannot act for the operator. For anybody else there is
nothing here: the middleware answers every request under ``/admin/`` with 404.
"""

from __future__ import annotations

import time
from typing import Final

import structlog
from aiohttp import web

from noughts.app.delivery.routes import Row
from noughts.app.endpoints.requests import ADDRESS, OPERATOR, base_url, body_of, nothing_here, public_base, token_of
from noughts.app.endpoints.responses import json_response
from noughts.app.players.passes import Passes
from noughts.app.runtime.addresses import urls_for_others
from noughts.app.runtime.admin_secret import AdminSecret
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import REQUESTS, Limits
from noughts.app.runtime.logs import AUDIT
from noughts.errors import Rejection
from noughts.values import Value

COMMAND_LINE: Final = "command line"
PAGE: Final = "page"
MAX_NEWEST: Final = 100
"""The most rooms that are listed with their games, and the most players that the page lists."""
CODE_IN_LINK: Final = "/#admin="
"""What follows the server's URL in a link to the admin page. A browser sends no fragment, so no log can show the code."""

log = structlog.get_logger()


class CodeBody(Value):
    """A code that begins a session."""

    code: str


class AdminAccess:
    """Lets the operator in, and writes the audit log."""

    def __init__(self, config: Config, secret: AdminSecret, passes: Passes, limits: Limits) -> None:
        self._config = config
        self._secret = secret
        self._passes = passes
        self._limits = limits

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of codes and sessions."""
        return (
            Row("POST", "/admin/codes", self._new_code),
            Row("POST", "/admin/session", self._new_session),
            Row("POST", "/admin/session/end", self._end_session),
        )

    async def check(self, request: web.Request) -> None:
        """Let the operator in. Raise ``not_found`` for anybody else."""
        token = token_of(request)
        if self._secret.is_that_of(token):
            request[OPERATOR] = COMMAND_LINE
            return
        # A crowd in the operator's own network can use up its credit. It must not end the session of the page.
        if not self._passes.is_recent(token):
            self._limits.take_for_networks(REQUESTS, request[ADDRESS], time.monotonic())
        if not self._config.admin_page or not await self._passes.is_session(token):
            raise nothing_here()
        request[OPERATOR] = PAGE

    async def _new_code(self, request: web.Request) -> web.Response:
        await self.check(request)
        if request[OPERATOR] != COMMAND_LINE:  # else a stolen session could be made to last
            raise nothing_here()
        if not self._config.admin_page:
            raise Rejection("forbidden", "The admin page is off: start the server with NOUGHTS_ADMIN_PAGE=on.")
        code, expires_ms = await self._passes.new_code()
        self.log(request, "make a code", "")
        links = [f"{base}{CODE_IN_LINK}{code}" for base in self._bases(request)]
        return json_response({"code": code, "expires_ms": expires_ms, "links": links}, 201)

    def _bases(self, request: web.Request) -> list[str]:
        """Return the URLs of this server for other devices, then that for this machine. A public URL is for both."""
        public = public_base(self._config)
        if public is not None:
            return [public]
        others = urls_for_others([(self._config.host, request.url.port or 80)])
        return [*[f"{url}{self._config.base_path}" for url in others], base_url(request, self._config)]

    async def _new_session(self, request: web.Request) -> web.Response:
        body = await body_of(request, CodeBody)
        self._limits.take_for_networks(REQUESTS, request[ADDRESS], time.monotonic())
        session = await self._passes.new_session(body.code) if self._config.admin_page else None
        if session is None:
            raise nothing_here()
        request[OPERATOR] = PAGE
        self.log(request, "begin a session", request[ADDRESS])
        return json_response({"session": session[0], "expires_ms": session[1]}, 201)

    async def _end_session(self, request: web.Request) -> web.Response:
        await self.check(request)
        await self._passes.end_session(token_of(request) or "")
        self.log(request, "end a session", request[ADDRESS])
        return json_response({})

    def log(self, request: web.Request, command: str, subject: str) -> None:
        """Write the line of the audit log: what the operator did, to what, and by which door."""
        log.info(AUDIT, command=command, **({"on": subject} if subject else {}), door=request[OPERATOR])

    def log_reading(self, request: web.Request, command: str) -> None:
        """Write the line for a command that only lists. The page reads lists again and again, without a line."""
        if request[OPERATOR] == COMMAND_LINE:
            self.log(request, command, "")


def newest_in(request: web.Request) -> int | None:
    """Return how many of the newest the caller wants; None for all. Raise ``bad_message``."""
    text = request.query.get("newest")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and 1 <= int(text[:4]) <= MAX_NEWEST):
        raise Rejection("bad_message", f"newest is a number from 1 to {MAX_NEWEST}.")
    return int(text)
