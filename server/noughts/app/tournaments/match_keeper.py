"""Keeps the rooms of matches and their tournaments in step.

A tournament says what its rooms need (:func:`~noughts.tournament.orders.orders`), and its rooms report their games. Both are
safe to repeat: a room is made under an id that follows from its match, and a game counts once by its number. So whatever a
crash leaves undone is done when the tournament is next attended to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Final

import structlog

from noughts.app.machines.node_parts import NodeParts
from noughts.app.rooms.on_node import RoomOnNode
from noughts.app.rooms.parts import Rooms
from noughts.app.tournaments.on_node import TournamentOnNode, TournamentRegistry, TournamentSurroundings
from noughts.errors import Rejection
from noughts.room.commands import BeginGame, EndGame
from noughts.room.commands import Discard as DiscardRoom
from noughts.room.match_play import match_room, thought_ms
from noughts.room.room import Room, RoomMatch
from noughts.room.storage import game_bytes
from noughts.rules.by_mark import ByMark
from noughts.rules.variant import variant_named
from noughts.store.contract import StoreUnavailableError
from noughts.tournament.commands import Discard, Ending, Report, Reported
from noughts.tournament.match_rooms import MatchKey, match_of_room
from noughts.tournament.match_rooms import match_room as match_room_id
from noughts.tournament.orders import Order, orders
from noughts.tournament.tournament import Match, Tournament

RETRY_MS: Final = 1_000
CHECK_MS: Final = 3_000
"""How often the rooms of the matches that are on are compared with their tournament, so that no lost report matters."""
REPORTS_PAUSE_S: Final = 0.1
"""Seconds between two changes of a tournament by reports. Reports that come meanwhile are stored together, in one change."""
AT_ONCE: Final = 64
"""Rooms that are made or read at a time, and the most reports in one change. They keep the event loop busy for some ms."""

log = structlog.get_logger()


class MatchKeeper:
    """Carries out the orders of tournaments, and reports the games of rooms."""

    def __init__(
        self, parts: NodeParts, tournaments: TournamentRegistry, rooms: Rooms, around: TournamentSurroundings
    ) -> None:
        self._tournaments = tournaments
        self._rooms = rooms.registry
        self._room_values = rooms.values
        self._chores = around.chores
        self._ends = rooms.ends
        self._node = parts.state
        self._tasks = parts.tasks
        self._busy: dict[str, bool] = {}
        """The tournaments whose rooms are attended to now, and whether they are due again."""
        self._reports: dict[str, list[Report]] = {}
        """Reports that wait until those before them are stored, by tournament."""

    def attend(self, actor: TournamentOnNode) -> None:
        """Attend to the rooms of a tournament that was woken."""
        if actor.value.state == "running":
            self._chores.set_sooner(actor.id, self._node.clock.now_ms())

    async def delete(self, actor: TournamentOnNode) -> None:
        """Delete a tournament, and close the rooms of its matches. Rooms that are left by a crash end by themselves."""
        await actor.tell(Discard())
        value = actor.value
        to_close = [Order(match, "close") for match in value.matches + value.to_close]
        async for _ in self._carry_out(value, to_close):
            pass  # nobody is left to be told

    async def carry_out_orders(self) -> None:
        """Attend to the rooms of each tournament when it is due, until cancelled."""
        while True:
            for id in await self._chores.reached():
                if id not in self._busy:
                    self._tasks.run(self._attend(id))
                self._busy[id] = id in self._busy

    async def report_ends(self) -> None:
        """Report the ends of games to their tournaments, until cancelled."""
        while True:
            for room_id in await self._ends.taken():
                key, actor = match_of_room(room_id), self._rooms.held(room_id)
                if key is None or actor is None:
                    continue  # it is read when the tournament is next attended to
                report = self._report_of(actor.room)
                if report is not None:
                    self._pass_on(key.tournament, report)

    def _pass_on(self, tournament: str, report: Report) -> None:
        """Tell a tournament of a report: at once, or together with others after a pause."""
        waiting = self._reports.get(tournament)
        if waiting is not None:
            waiting.append(report)
            return
        self._reports[tournament] = [report]
        self._tasks.run(self._tell_reports(tournament))

    async def _tell_reports(self, tournament: str) -> None:
        try:
            while reports := self._reports[tournament][:AT_ONCE]:
                del self._reports[tournament][:AT_ONCE]
                actor = self._tournaments.held(tournament) or await self._tournaments.open(tournament)
                await actor.tell(Reported(tuple(reports)))
                await asyncio.sleep(REPORTS_PAUSE_S)
        except Rejection as rejection:
            if rejection.code != "unknown_tournament":
                # The rooms still show what was not told.
                self._chores.set_sooner(tournament, self._node.clock.now_ms() + RETRY_MS)
        finally:
            del self._reports[tournament]

    # --- orders -------------------------------------------------------------------------------------------------

    async def _attend(self, id: str) -> None:
        """Carry out the orders of a tournament, and look for reports that were lost."""
        now_ms = self._node.clock.now_ms
        next_ms: int | None = None
        try:
            actor = self._tournaments.held(id) or await self._tournaments.open(id)
            await self._check(actor)
            value = actor.value
            reported = {report.match for report in self._reports.get(id, ())}
            wanted = [order for order in orders(value) if order.match.number not in reported]
            async for report in self._carry_out(value, wanted):
                self._pass_on(id, report)
            if wanted:
                next_ms = now_ms() + RETRY_MS
            elif actor.value.state == "running" and not actor.closed:
                next_ms = now_ms() + CHECK_MS
        except (Rejection, StoreUnavailableError) as error:
            if not isinstance(error, Rejection) or error.code == "unavailable":
                next_ms = now_ms() + RETRY_MS
        except Exception:
            log.exception("the rooms of a tournament were not attended to", tournament=id)
            next_ms = now_ms() + RETRY_MS
        finally:
            if self._busy.pop(id):
                next_ms = now_ms()
            if next_ms is not None:
                self._chores.set_sooner(id, next_ms)

    async def _check(self, actor: TournamentOnNode) -> None:
        """Report the games that have ended in rooms although the tournament does not know it, once in an interval."""
        now_ms = self._node.clock.now_ms()
        if now_ms < actor.checked_ms + CHECK_MS:
            return
        actor.checked_ms = now_ms
        value = actor.value
        on = [match for match in value.matches if match.stage == "on"]
        for number, match in enumerate(on, 1):
            report = await self._checked(value, match)
            if report is not None:
                self._pass_on(value.id, report)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _checked(self, value: Tournament, match: Match) -> Report | None:
        room_id = self._room_id(value, match)
        held = self._rooms.held(room_id)
        room = held.room if held is not None else await self._room_values.load(room_id)
        if room is None:
            return Report(match.number, match.game, gone=True)
        if room.playing and held is None:
            await self._rooms.open(room_id)  # so that its deadlines are attended to, and its end is reported
        report = self._report_of(room)
        return None if report is None or report.ending is None or report.game != match.game else report

    async def _carry_out(self, value: Tournament, wanted: Sequence[Order]) -> AsyncIterator[Report]:
        """Carry out orders, some at a time, and yield what the rooms report."""
        for start in range(0, len(wanted), AT_ONCE):
            some = [self._carried_out(value, order) for order in wanted[start : start + AT_ONCE]]
            for report in await asyncio.gather(*some):
                if report is not None:
                    yield report

    async def _carried_out(self, value: Tournament, order: Order) -> Report | None:
        """Carry out one order. Return the report of the room; None if it has nothing new to say."""
        match, room_id = order.match, self._room_id(value, order.match)
        try:
            actor = await self._room_of_match(value, match) if order.what == "make" else await self._rooms.open(room_id)
        except Rejection as rejection:
            return Report(match.number, match.game, gone=True) if rejection.code == "unknown_room" else None
        try:
            if order.what == "start":
                await actor.tell(BeginGame(match.game))
            elif order.what == "close":
                await actor.tell(DiscardRoom())
                return Report(match.number, match.game, gone=True)
            elif order.what == "end":
                await actor.tell(EndGame(match.game, order.winner, order.reason))
        except Rejection as rejection:
            if rejection.code != "stale":  # stale: the room has done it before
                raise
        return self._report_of(actor.room)

    async def _room_of_match(self, value: Tournament, match: Match) -> RoomOnNode:
        """Make the room of a match, unless it exists."""
        room = match_room(
            room_id=self._room_id(value, match),
            match=RoomMatch(value.id, match.number, value.games, value.chat),
            host=value.host,
            players=ByMark(value.entrant(match.first).seated, value.entrant(match.second).seated),
            variant=variant_named(value.variant),
            clock=value.clock,
            now_ms=self._node.clock.now_ms(),
        )
        try:
            return await self._rooms.create(room)
        except Rejection as rejection:
            if rejection.code != "conflict":
                raise
            return await self._rooms.open(room.id)

    def _room_id(self, value: Tournament, match: Match) -> str:
        return match_room_id(value.secret, MatchKey(value.id, match.number))

    def _report_of(self, room: Room) -> Report | None:
        """Return what a room tells its tournament."""
        game = room.game
        if room.match is None or game is None:
            return None
        if game.outcome is None:
            return Report(room.match.match, game.number)
        times_ms = thought_ms(game, self._node.downtime.spans)
        outcome = game.outcome
        ending = Ending(outcome.winner, outcome.reason, game.history.ply, times_ms, game_bytes(game))
        return Report(room.match.match, game.number, ending)
