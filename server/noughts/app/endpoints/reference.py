"""Endpoints that need no room: the variants, analysis, QR codes, and the machine-readable contract."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import segno
from aiohttp import hdrs, web

from noughts.app.delivery.front_door import FrontDoor
from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.requests import (
    ADDRESS,
    base_url,
    body_of,
    is_unnamed_proxy,
    player_of,
    player_or_none,
    public_base,
)
from noughts.app.endpoints.responses import file_response, json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.page.files import page_file
from noughts.app.runtime.config import Config
from noughts.app.runtime.limits import MAX_FRAME, SEARCHES
from noughts.app.search.analysis import Analyses
from noughts.app.search.search import Caller, caller_at
from noughts.engine.levels import strength
from noughts.engine.minimax import LIMIT, WHOLE_TREE
from noughts.engine.solvable import start_value
from noughts.errors import Rejection
from noughts.protocol import asyncapi, openapi
from noughts.protocol.bodies import (
    AnalysisAnswer,
    DrawQr,
    Features,
    Seen,
    SiteView,
    StrengthAnswer,
    StrengthView,
    VariantsAnswer,
)
from noughts.protocol.codec import encode
from noughts.protocol.messages import VerdictView
from noughts.protocol.puzzle_views import minimax_view
from noughts.protocol.records import record_of_moves
from noughts.protocol.views import variant_view
from noughts.rules.game import Game, replay_names
from noughts.rules.variant import VARIANTS, variant_named

_NUMBER: Final = re.compile(r"-?[0-9]{1,4}")


def catalogue(config: Config, levels: Mapping[str, tuple[str, ...]]) -> VariantsAnswer:
    """Return all variants with the levels of the engine that this server offers, and what it offers besides games."""
    site = SiteView(config.site_name, config.welcome or None, config.legal_url or None, config.contact or None)
    features = Features(config.lobby, config.free_names, config.tournaments, public_base(config), site)
    variants = [variant_view(each, VerdictView(*start_value(each)), levels[each.key]) for each in VARIANTS.values()]
    return VariantsAnswer(tuple(variants), features)


class ReferenceEndpoints:
    """Answers questions about games, and describes this server."""

    def __init__(self, parts: NodeParts, variants: VariantsAnswer, analyses: Analyses) -> None:
        self._catalogue = page_file(encode(variants), "application/json")
        self._config = parts.config
        self._guests = parts.guests
        self._limits = parts.limits
        self._analyses = analyses

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of the contract that are answered here."""
        return (
            row("variants", self.variants),
            row("seen", self.seen),
            row("strength", self.strength),
            row("analysis", self.analysis),
            row("record", self.record),
            row("minimax", self.minimax),
            row("drawQr", self.qr),
            row("openapi", self.openapi),
            row("asyncapi", self.asyncapi),
        )

    async def variants(self, request: web.Request) -> web.Response:
        return file_response(request, self._catalogue, {hdrs.CACHE_CONTROL: "no-store"})

    async def seen(self, request: web.Request) -> web.Response:
        own, door = base_url(request, self._config), request.protocol
        outlived = isinstance(door, FrontDoor) and door.outlived_proxy
        return json_response(Seen(request[ADDRESS], own, is_unnamed_proxy(request, self._config), outlived))

    async def analysis(self, request: web.Request) -> web.Response:
        game = _game(request)
        variant = game.variant
        caller = await self._caller(request, charged=not self._analyses.is_kept(variant, game.moves))
        return json_response(AnalysisAnswer(await self._analyses.positions(variant, game.moves, caller)))

    async def minimax(self, request: web.Request) -> web.Response:
        game = _game(request, "classic")
        if game.variant.key != "classic":
            raise Rejection("bad_message", "Only classic has these programs: leave variant out.")
        alpha, beta = _number(request, "alpha", -LIMIT), _number(request, "beta", LIMIT)
        counted_from = _number(request, "from", game.ply)
        if alpha >= beta:
            raise Rejection("bad_message", "alpha must be less than beta.")
        if not 0 <= counted_from <= game.ply:
            raise Rejection("bad_message", "from must be 0 to the number of moves.")
        depth = _number(request, "depth", 1)
        if depth < 1 or (depth > 1 and len(game.legal()) > WHOLE_TREE):
            raise Rejection("bad_message", f"depth must be 1, or more where at most {WHOLE_TREE} cells are free.")
        question = (game.moves, alpha, beta, counted_from, min(depth, WHOLE_TREE))
        caller = await self._caller(request, charged=not self._analyses.is_explained(question))
        explained = await self._analyses.explained(game, question, caller)
        return json_response(minimax_view(game, explained))

    async def _caller(self, request: web.Request, *, charged: bool) -> Caller:
        """Return the caller. Charge its network and its player for a search. Raise :class:`Rejection`."""
        person = await player_or_none(request, self._guests)
        if charged:
            now_s = time.monotonic()
            self._limits.take_for_networks(SEARCHES, request[ADDRESS], now_s)
            if person is not None:
                self._limits.take(SEARCHES, person.player, now_s)
        return caller_at(request[ADDRESS], "" if person is None else person.player)

    async def record(self, request: web.Request) -> web.Response:
        return json_response(record_of_moves(_game(request)))

    async def strength(self, request: web.Request) -> web.Response:
        key = variant_named(request.query.get("variant", "")).key
        return json_response(StrengthAnswer(key, tuple([StrengthView(*row) for row in strength(key)])))

    async def qr(self, request: web.Request) -> web.Response:
        await player_of(request, self._guests)
        body = await body_of(request, DrawQr)
        own = f"://{urlsplit(base_url(request, self._config)).netloc}/"
        if not body.text.isascii() or not body.text.startswith((f"http{own}", f"https{own}")):
            raise Rejection("bad_message", "Send a link to this server.")
        picture = io.BytesIO()
        # To choose the mask that reads best, segno would draw all eight: that takes longer than a call may.
        segno.make(body.text, micro=False, error="m", boost_error=False, mask=2).save(
            picture, kind="svg", scale=4, border=2, svgns=True
        )
        headers = {hdrs.CACHE_CONTROL: "no-store", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=picture.getvalue(), content_type="image/svg+xml", headers=headers)

    async def openapi(self, request: web.Request) -> web.Response:
        return json_response(openapi.document())

    async def asyncapi(self, request: web.Request) -> web.Response:
        return json_response(asyncapi.document(MAX_FRAME))


def _number(request: web.Request, name: str, default: int) -> int:
    text = request.query.get(name)
    if text is None:
        return default
    if not _NUMBER.fullmatch(text):
        raise Rejection("bad_message", f"{name} must be a whole number of at most four digits.")
    return int(text)


def _game(request: web.Request, variant: str = "") -> Game:
    """Return the game in the query. Raise ``bad_message`` or ``illegal_move``."""
    moves = request.query.get("moves", "")
    return replay_names(variant_named(request.query.get("variant", variant)), moves.split(",") if moves else [])
