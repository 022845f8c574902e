"""The HTTP calls of the contract, each a few lines: parse, ask, answer."""

from __future__ import annotations

import io
from typing import Final

import segno
from aiohttp import hdrs, web

from noughts.app.config import Config
from noughts.app.guests import Guests
from noughts.app.host import Host
from noughts.app.hosts import Hosts
from noughts.app.limits import GUESTS, RESUME, ROOMS, ROOMS_ADDRESS, SEARCHES, Limits
from noughts.app.lobby import LobbyHost
from noughts.app.requests import authorized, authorized_or_none, base_url, body_of, json_answer, network_of
from noughts.app.search.analysis import Analyses
from noughts.app.sockets import Sockets
from noughts.engine.engine import levels, start_value
from noughts.engine.levels import strength
from noughts.errors import Rejection
from noughts.protocol import asyncapi, openapi
from noughts.protocol.calls import (
    AnalysisAnswer,
    DrawQr,
    Features,
    LiveRooms,
    NewPlayer,
    NewRoom,
    OpenRooms,
    PlayerAnswer,
    QuickPlay,
    Rename,
    Resume,
    ResumeCode,
    RoomAnswer,
    StrengthView,
    VariantsAnswer,
    VariantView,
)
from noughts.protocol.messages import PlayerView, VerdictView, View
from noughts.protocol.views import game_record, view
from noughts.room.record import game_from
from noughts.room.room import SOMEONE, CurrentGame
from noughts.room.seat import Person, holder
from noughts.rules.game import replay_names
from noughts.rules.variant import VARIANTS, Variant, variant_named
from noughts.store.contract import Store

_DEFAULT_LEVEL: Final = "skilled"


class Routes:
    """The handlers, and what they ask."""

    def __init__(
        self,
        config: Config,
        store: Store,
        hosts: Hosts,
        lobby: LobbyHost | None,
        guests: Guests,
        limits: Limits,
        analyses: Analyses,
        sockets: Sockets,
    ) -> None:
        self._config = config
        self._store = store
        self._hosts = hosts
        self._lobby = lobby
        self._guests = guests
        self._limits = limits
        self._analyses = analyses
        self._sockets = sockets

    def add_to(self, app: web.Application) -> None:
        """Register every call."""
        router = app.router
        router.add_post("/api/players", self.new_player)
        router.add_get("/api/players/me", self.me, allow_head=False)
        router.add_patch("/api/players/me", self.rename)
        router.add_delete("/api/players/me", self.forget)
        router.add_post("/api/players/me/resume-code", self.resume_code)
        router.add_post("/api/players/resume", self.resume)
        router.add_get("/api/variants", self.variants)
        router.add_post("/api/rooms", self.new_room)
        router.add_get("/api/rooms", self.rooms)
        router.add_get("/api/rooms/{id}", self.room)
        router.add_get("/api/rooms/{id}/games/{number}", self.game)
        router.add_post("/api/quickplay", self.quick_play)
        router.add_get("/api/analysis", self.analysis)
        router.add_post("/api/qr", self.qr)
        router.add_get("/api/openapi.json", self.openapi)
        router.add_get("/api/asyncapi.json", self.asyncapi)

    # --- players ------------------------------------------------------------------------------------------------

    async def new_player(self, request: web.Request) -> web.Response:
        body = await body_of(request, NewPlayer)
        self._limits.take(GUESTS, network_of(request), self._hosts.around.clock.now_s())
        person, token = await self._guests.create(body.name)
        return json_answer(PlayerAnswer(_player(person), token), 201)

    async def me(self, request: web.Request) -> web.Response:
        return json_answer(PlayerAnswer(_player(await authorized(request, self._guests))))

    async def rename(self, request: web.Request) -> web.Response:
        person = await authorized(request, self._guests)
        body = await body_of(request, Rename)
        person = await self._guests.rename(person.player, body.name)
        await self._hosts.renamed(person)
        return json_answer(PlayerAnswer(_player(person)))

    async def forget(self, request: web.Request) -> web.Response:
        person = await authorized(request, self._guests)
        # The rooms first: if that fails, the same token can ask again.
        await self._hosts.renamed(Person(person.player, SOMEONE))
        forgotten = await self._guests.forget(person.player)
        self._hosts.call(forgotten)
        await self._sockets.dismiss(person.player)
        return json_answer(PlayerAnswer(_player(forgotten)))

    async def resume_code(self, request: web.Request) -> web.Response:
        person = await authorized(request, self._guests)
        code, expires_ms = await self._guests.resume_code(person.player)
        return json_answer(ResumeCode(code, expires_ms), 201)

    async def resume(self, request: web.Request) -> web.Response:
        body = await body_of(request, Resume)
        self._limits.take(RESUME, network_of(request), self._hosts.around.clock.now_s())
        person, token = await self._guests.resume(body.code)
        return json_answer(PlayerAnswer(_player(person), token))

    # --- rooms --------------------------------------------------------------------------------------------------

    async def variants(self, request: web.Request) -> web.Response:
        config = self._config
        features = Features(config.lobby, config.free_names, config.public_url.rstrip("/") or None)
        return json_answer(VariantsAnswer(tuple(map(_variant, VARIANTS.values())), features))

    async def new_room(self, request: web.Request) -> web.Response:
        person = await authorized(request, self._guests)
        body = await body_of(request, NewRoom)
        variant = variant_named(body.variant)
        engines: tuple[str, ...] = ()
        if body.opponent == "engine":
            engines = (body.level or _DEFAULT_LEVEL,)
        elif body.opponent == "engines":
            if body.levels is None:
                raise Rejection("bad_message", "Two engines need levels: that of X and that of O.")
            engines = body.levels
        if body.opponent == "anyone" and self._lobby is None:
            raise Rejection("forbidden", "This server has no public rooms.")
        self._charge_room(request, person)
        mark = None if body.mark == "random" else body.mark
        host = await self._hosts.create(
            person, variant, body.opponent, mark, engines, body.clock, body.visibility if self._lobby else "unlisted"
        )
        return json_answer(self._room_answer(request, host, watch=True), 201)

    def _charge_room(self, request: web.Request, person: Person) -> None:
        now_s = self._hosts.around.clock.now_s()
        self._limits.take(ROOMS_ADDRESS, network_of(request), now_s)
        self._limits.take(ROOMS, person.player, now_s)

    def _room_answer(self, request: web.Request, host: Host, *, watch: bool) -> RoomAnswer:
        watch_url = f"{base_url(request, self._config)}/r/{host.id}"
        room = host.room
        if room is None:
            raise Rejection("unknown_room", "The room has just gone: make another.")
        url = watch_url if room.invite is None else f"{watch_url}#i={room.invite}"
        return RoomAnswer(self._view(host), url, watch_url if watch else None, room.invite)

    def _view(self, host: Host) -> View:
        if host.room is None:
            raise Rejection("unknown_room", "The room has just gone.")
        return view(host.room, self._hosts.around.house)

    async def quick_play(self, request: web.Request) -> web.Response:
        person = await authorized(request, self._guests)
        body = await body_of(request, QuickPlay)
        variant = variant_named(body.variant)
        if self._lobby is None:
            raise Rejection("forbidden", "This server has no quick play: invite a friend, or play the engine.")
        host, new = await self._hosts.quick_play(
            person, variant, body.clock, lambda: self._charge_room(request, person)
        )
        url = f"{base_url(request, self._config)}/r/{host.id}"
        return json_answer(RoomAnswer(self._view(host), url), 201 if new else 200)

    async def rooms(self, request: web.Request) -> web.Response:
        state = request.query.get("state", "open")
        variant = request.query.get("variant")
        if state not in ("open", "live"):
            raise Rejection("bad_message", "state is open or live.")
        if variant is not None:
            variant_named(variant)
        lobby = self._lobby
        if lobby is None:
            return json_answer(OpenRooms(()))
        if state == "open":
            return json_answer(OpenRooms(await lobby.open_rooms(variant)))
        return json_answer(LiveRooms(await lobby.live_rooms(variant)))

    async def room(self, request: web.Request) -> web.Response:
        return json_answer(self._view(await self._hosts.find(request.match_info["id"])))

    async def game(self, request: web.Request) -> web.Response:
        host = await self._hosts.find(request.match_info["id"])
        text = request.match_info["number"]
        number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        game: CurrentGame | None = host.room.game if host.room is not None else None
        if game is None or game.number != number:
            data = await self._store.game(host.id, number)
            if data is None:
                raise Rejection("not_found", "There is no such game in this room.")
            game = game_from(data)
        players = [player for player in (holder(game.x), holder(game.o)) if player is not None]
        return json_answer(game_record(game, await self._store.names(players)))

    # --- the engine ---------------------------------------------------------------------------------------------

    async def analysis(self, request: web.Request) -> web.Response:
        variant = variant_named(request.query.get("variant", ""))
        text = request.query.get("moves", "")
        names = text.split(",") if text else []
        game = replay_names(variant, names)
        now_s = self._hosts.around.clock.now_s()
        person = await authorized_or_none(request, self._guests)
        if not self._analyses.is_kept(variant, game.moves):
            self._limits.take(SEARCHES, network_of(request), now_s)
            if person is not None:
                self._limits.take(SEARCHES, person.player, now_s)
        return json_answer(AnalysisAnswer(await self._analyses.positions(variant, game.moves)))

    async def qr(self, request: web.Request) -> web.Response:
        await authorized(request, self._guests)
        body = await body_of(request, DrawQr)
        picture = io.BytesIO()
        segno.make(body.text, micro=False, error="m").save(picture, kind="svg", scale=4, border=2, svgns=True)
        headers = {hdrs.CACHE_CONTROL: "no-store", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=picture.getvalue(), content_type="image/svg+xml", headers=headers)

    # --- the contract -------------------------------------------------------------------------------------------

    async def openapi(self, request: web.Request) -> web.Response:
        return json_answer(openapi.document())

    async def asyncapi(self, request: web.Request) -> web.Response:
        return json_answer(asyncapi.document())


def _player(person: Person) -> PlayerView:
    return PlayerView(person.player, person.name)


def _variant(variant: Variant) -> VariantView:
    return VariantView(
        key=variant.key,
        name=variant.name,
        rules=variant.rules,
        shape=variant.shape,
        line=variant.line,
        gravity=variant.gravity,
        misere=variant.misere,
        marks_kept=variant.marks_kept,
        value=VerdictView(*start_value(variant)),
        levels=levels(variant),
        strength=tuple([StrengthView(*row) for row in strength(variant.key)]),
    )
