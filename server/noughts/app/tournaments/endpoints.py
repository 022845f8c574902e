"""Endpoints under ``/api/tournaments``, and the operator's."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from aiohttp import web
from msgspec.structs import asdict, replace

from noughts.app.delivery.routes import Row, row
from noughts.app.endpoints.admin_access import AdminAccess
from noughts.app.endpoints.requests import (
    ADDRESS,
    base_url,
    body_of,
    is_the_machine_itself,
    player_of,
)
from noughts.app.endpoints.responses import json_response
from noughts.app.machines.node_parts import NodeParts
from noughts.app.players.identity import clean_name
from noughts.app.runtime.addresses import enclosing_networks
from noughts.app.runtime.limits import PIN_TRIES, PINS, TOURNAMENTS_ADDRESS
from noughts.app.tournaments.finder import PIN_DIGITS, TournamentFinder
from noughts.app.tournaments.on_node import TournamentOnNode, TournamentRegistry
from noughts.app.tournaments.records import MATCHES_OF_PAGE, MatchRecords
from noughts.errors import Rejection
from noughts.printable import normalized
from noughts.protocol.tournament_bodies import (
    FindTournament,
    JoinAnswer,
    JoinTournament,
    MatchesAnswer,
    NewTournament,
    NewTournamentAnswer,
    StandingsAnswer,
    TournamentFound,
    TournamentsAnswer,
)
from noughts.protocol.tournament_messages import TournamentView
from noughts.protocol.tournament_views import match_view, results_csv, row_view, tournament_view
from noughts.room.seat import Names, Person
from noughts.rules.variant import variant_named
from noughts.tournament.commands import Join, Recount
from noughts.tournament.entry import MAX_NAME
from noughts.tournament.standings import standings
from noughts.tournament.tournament import State, Tournament, entrant_of, folded, free_names, most_entrants

_MARK: Final = "\ufeff"
"""A byte order mark: without it spreadsheets read the file in the code page of the machine."""
MAX_TOURNAMENT_BODY: Final = 128 * 1024
MINUTES: Final = 10
"""The length of an arena by default."""
MAX_ROWS: Final = 100
FEWEST_NAMES: Final = 2
NAMES_AT_ONCE: Final = 50
LOCKS: Final = 256
RECOUNTS: Final = 20
"""How often the standings of a tournament that changes meanwhile are counted."""
_UNKNOWN_PIN: Final = "No tournament has this PIN: check it, and type it again."
_STATES: Final[dict[str, State]] = {"open": "open", "running": "running", "over": "over"}


class TournamentEndpoints:
    """Makes, finds, joins and shows tournaments."""

    def __init__(
        self,
        parts: NodeParts,
        registry: TournamentRegistry,
        finder: TournamentFinder,
        records: MatchRecords,
        access: AdminAccess,
    ) -> None:
        self._config = parts.config
        self._guests = parts.guests
        self._names_of = parts.names.of
        self._limits = parts.limits
        self._registry = registry
        self._finder = finder
        self._records = records
        self._access = access
        self._trying: dict[int, asyncio.Lock] = {}
        """Each network has one of these, so that its PINs are tried one after the other."""

    def rows(self) -> tuple[Row, ...]:
        """Return the rows about tournaments: those of the contract, and two for the operator."""
        return (
            row("newTournament", self.create),
            row("tournaments", self.list_public),
            row("findTournament", self.find),
            row("joinTournament", self.join),
            row("tournament", self.show),
            row("standings", self.standings),
            row("matches", self.matches),
            row("resultsCsv", self.results),
            Row("GET", "/admin/tournaments", self._list_unfinished),
            Row("POST", "/admin/tournaments/{id}/recount", self._recount),
        )

    async def create(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, NewTournament, MAX_TOURNAMENT_BODY)
        self._check_offered()
        if self._config.hosts == "loopback" and not is_the_machine_itself(request, self._config):
            raise Rejection("forbidden", "On this server, only its operator makes tournaments.")
        names = await self._names(body)
        settings, address = self._settings(body, names, person), request[ADDRESS]
        await self._limits.take_for_address(TOURNAMENTS_ADDRESS, address)
        actor = await self._finder.create(person, address, **settings)
        value = actor.value
        url = f"{self._url(request, value)}#p={value.pin}"
        return json_response(NewTournamentAnswer(_view(value, actor.names), url, value.pin), 201)

    def _settings(self, body: NewTournament, names: tuple[str, ...], host: Person) -> dict[str, Any]:
        """Return the fields of a new tournament. Raise ``bad_message`` or ``forbidden``."""
        variant_named(body.variant)
        minutes = body.minutes
        if body.mode == "arena":
            minutes = minutes or MINUTES
        elif minutes is not None:
            raise Rejection("bad_message", "Only an arena has a length in minutes.")
        name = clean_name(body.name, MAX_NAME)
        if not self._names_are_free:
            if names:
                raise Rejection("forbidden", "This server chooses the names: use the entry open.")
            name = f"Tournament of {host.name}"[:MAX_NAME]
        return asdict(replace(body, name=name, minutes=minutes, names=names))

    async def _names(self, body: NewTournament) -> tuple[str, ...]:
        """Return the names that entrants choose from, a few in each turn of the event loop. Raise ``bad_message``."""
        if body.entry == "open":
            if body.names is not None:
                raise Rejection("bad_message", "A list of names needs the entry names.")
            return ()
        names, looks = [], set()
        for name in body.names or ():
            names.append(clean_name(name, MAX_NAME))
            looks.add(folded(names[-1]))
            if len(names) % NAMES_AT_ONCE == 0:
                await asyncio.sleep(0)
        most = most_entrants(body.mode)
        if not FEWEST_NAMES <= len(names) <= most:
            raise Rejection("bad_message", f"List {FEWEST_NAMES} to {most} names.")
        if len(looks) < len(names):
            raise Rejection("bad_message", "Each name may be in the list once.")
        return tuple(names)

    @property
    def _names_are_free(self) -> bool:
        """Whether hosts and entrants choose names: everywhere, or by the operator, who alone makes tournaments."""
        return self._config.free_names or self._config.hosts == "loopback"

    def _check_offered(self) -> None:
        if not self._config.tournaments:
            raise Rejection("forbidden", "This server has no tournaments.")

    # --- joining ------------------------------------------------------------------------------------------------

    async def find(self, request: web.Request) -> web.Response:
        body = await body_of(request, FindTournament)
        actor = await self._with_pin(request, body.pin)
        value, names = actor.value, actor.names
        return json_response(
            TournamentFound(_view(value, names), free_names(value) if value.entry == "names" else None)
        )

    async def join(self, request: web.Request) -> web.Response:
        person = await player_of(request, self._guests)
        body = await body_of(request, JoinTournament)
        name = None if body.name is None else clean_name(body.name, MAX_NAME)
        actor = await self._with_pin(request, body.pin)
        if not self._config.free_names and actor.value.entry == "open":
            name = None
        await actor.tell(Join(person, name))
        value, entrant = actor.value, entrant_of(actor.value, person.player)
        assert entrant is not None
        return json_response(JoinAnswer(_view(value, actor.names), self._url(request, value), entrant.number))

    async def _with_pin(self, request: web.Request, pin: str) -> TournamentOnNode:
        """Return the tournament with a PIN. Raise ``unknown_tournament``, or ``rate_limited`` after wrong ones.

        The PINs from one network are tried one after the other. Each uses a credit, which a right one gets back. A text
        that is no PIN uses none.
        """
        self._check_offered()
        digits = normalized(pin)
        if not (len(digits) == PIN_DIGITS and digits.isascii() and digits.isdigit()):
            raise Rejection("unknown_tournament", _UNKNOWN_PIN)
        address = request[ADDRESS]
        async with self._trying.setdefault(hash(enclosing_networks(address)[-1]) % LOCKS, asyncio.Lock()):
            used = await self._limits.take_try(PINS, address, PIN_TRIES)
            actor = await self._finder.find(digits)
            if actor is None:
                raise Rejection("unknown_tournament", _UNKNOWN_PIN)
            await self._limits.give_back(used)
            return actor

    def _url(self, request: web.Request, value: Tournament) -> str:
        return f"{base_url(request, self._config)}/t/{value.id}"

    # --- reading ------------------------------------------------------------------------------------------------

    async def list_public(self, request: web.Request) -> web.Response:
        state = _STATES.get(request.query.get("state", "open"))
        if state is None:
            raise Rejection("bad_message", "state is open, running or over.")
        views = []
        values = await self._finder.listed(state) if self._config.tournaments else []
        names = await self._names_of([value.host.player for value in values])
        for value in values:
            views.append(_view(value, names))
            await asyncio.sleep(0)  # each takes a while
        return json_response(TournamentsAnswer(tuple(views)))

    async def _read(self, request: web.Request) -> Tournament:
        if not self._config.tournaments:
            raise Rejection("unknown_tournament", "This server has no tournaments.")
        return await self._registry.read(request.match_info["id"])

    async def show(self, request: web.Request) -> web.Response:
        value = await self._read(request)
        return json_response(_view(value, await self._names_of([value.host.player])))

    async def standings(self, request: web.Request) -> web.Response:
        value = await self._read(request)
        first, count = _number(request, "from", 1, 1, 1_000_000), _number(request, "count", 50, 1, MAX_ROWS)
        rows = standings(value)
        page = tuple([row_view(row) for row in rows[first - 1 : first - 1 + count]])
        return json_response(StandingsAnswer(page, len(rows)))

    async def matches(self, request: web.Request) -> web.Response:
        value = await self._read(request)
        after = _number(request, "after", 0, 0, 1_000_000_000)
        page = await self._records.matches(value, after)
        more = value.match_count > after + MATCHES_OF_PAGE
        return json_response(MatchesAnswer(tuple([match_view(value, match) for match in page]), more))

    async def results(self, request: web.Request) -> web.Response:
        value = await self._read(request)
        headers = {
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Content-Disposition": 'attachment; filename="results.csv"',
        }
        return web.Response(
            text=f"{_MARK}{results_csv(value)}", content_type="text/csv", charset="utf-8", headers=headers
        )

    # --- the operator ---------------------------------------------------------------------------------------------

    async def _list_unfinished(self, request: web.Request) -> web.Response:
        """Answer with all tournaments that are not over, in public or not."""
        await self._access.check(request)
        values = await self._finder.unfinished()
        names = await self._names_of([value.host.player for value in values])
        self._access.log_reading(request, "list tournaments")
        rows = [
            {
                "id": value.id,
                "name": value.name,
                "mode": value.mode,
                "variant": value.variant,
                "state": value.state,
                "entrants": len(value.entrants),
                "host": names.get(value.host.player, ""),
                "used_ms": value.used_ms,
            }
            for value in values
        ]
        return json_response({"tournaments": rows})

    async def _recount(self, request: web.Request) -> web.Response:
        """Count the standings of a tournament again from its stored matches."""
        await self._access.check(request)
        id = request.match_info["id"]
        for _ in range(RECOUNTS):
            actor = await self._registry.open(id)
            value = actor.value
            matches = await self._records.all_matches(value)
            finished = tuple([match for match in matches if match.state != "playing"])
            try:
                version = await actor.tell(Recount(value.version, finished))
            except Rejection as rejection:
                if rejection.code != "stale":
                    raise
            else:
                self._access.log(request, "recount tournament", id)
                return json_response({"matches": len(finished), "changed": version != value.version})
        raise Rejection("unavailable", "The tournament changes too often: try again between two rounds.")


def _view(value: Tournament, names: Names) -> TournamentView:
    return tournament_view(value, standings(value), names)


def _number(request: web.Request, name: str, default: int, least: int, most: int) -> int:
    """Return a number in the query. Raise ``bad_message`` for one that is out of range."""
    text = request.query.get(name)
    if text is None:
        return default
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else -1
    if not least <= number <= most:
        raise Rejection("bad_message", f"{name} is a number from {least} to {most}.")
    return number
