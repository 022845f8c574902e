"""What the mechanism of :mod:`noughts.app.machines` must know of tournaments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final

import structlog
from msgspec.structs import replace

from noughts.app.machines.machine import EventCodec, Loaded, Step
from noughts.app.players.names import NameLookup
from noughts.app.runtime.logs import shown
from noughts.app.runtime.node_state import NodeState
from noughts.app.tournaments.announcements import TournamentAnnouncements
from noughts.app.tournaments.publisher import TournamentPublisher
from noughts.app.tournaments.visitors import TournamentVisitors
from noughts.errors import Rejection
from noughts.room.downtime import downtime_ms
from noughts.room.seat import Names
from noughts.store.kinds import TOURNAMENT
from noughts.store.machine_store import IndexEntry, Line
from noughts.tournament.commands import AnyCommand, Wake
from noughts.tournament.step import step
from noughts.tournament.storage import game_row, match_bytes, match_row, tournament_bytes, tournament_from
from noughts.tournament.timers import stored_wake_at_ms
from noughts.tournament.tournament import Tournament
from noughts.tournament.transition import Began, Ended, Event, Moment, Policy

log = structlog.get_logger()


class TournamentMachine:
    """A :class:`~noughts.app.machines.machine.Machine`."""

    kind: Final = TOURNAMENT
    wake: Final = Wake()
    events: Final = EventCodec(Event)

    def __init__(
        self,
        node: NodeState,
        policy: Policy,
        publisher: TournamentPublisher,
        names: NameLookup,
        rng: random.Random,
        node_name: str,
        announcements: TournamentAnnouncements | None = None,
    ) -> None:
        self._node = node
        self._policy = policy
        self._publisher = publisher
        self._names = names
        self._rng = rng
        self._node_name = node_name
        self._announcements = announcements

    def visitors(self, loaded: Loaded[Tournament]) -> TournamentVisitors:
        return TournamentVisitors(loaded, self._node, self._policy, self._publisher, self._rng, self._node_name)

    def step(self, value: Tournament, command: AnyCommand, at: Moment) -> Step:
        transition = step(value, command, at)
        records = [(match_row(match.number), match_bytes(match)) for match in transition.finished]
        records += [(game_row(match, game), data) for match, game, data in transition.games]
        after = transition.tournament
        if after is not value:
            self._publisher.note_own_step(after)
        return Step(after, transition.events, tuple(records))

    def note_stored(self, value: Tournament, events: tuple[Any, ...]) -> None:
        for event in events:
            if type(event) is Began:
                continue
            over = type(event) is Ended
            counts = {"entrants": len(value.entrants)} | ({"matches": value.match_count} if over else {})
            log.info(f"tournament {'ended' if over else 'started'}", id=shown(value.id), **counts)
            if self._announcements is not None:
                self._announcements.send(value, over=over)

    def closed(self, value: Tournament, version: int) -> Tournament:
        return replace(value, closed=True, version=version)

    # --- storage ------------------------------------------------------------------------------------------------

    def encode(self, value: Tournament) -> bytes:
        return tournament_bytes(value)

    def decode(self, data: bytes, current: Tournament | None = None) -> Tournament:
        return tournament_from(data)

    def index_entry(self, value: Tournament) -> IndexEntry:
        return index_entry(value, self._policy)

    def index_change(self, before: Tournament, after: Tournament) -> IndexEntry | None:
        if before.state == after.state == "running" and len(before.entrants) == len(after.entrants):
            return None  # the most frequent changes: their entries are the same
        entry = self.index_entry(after)
        return None if entry == self.index_entry(before) else entry

    async def names(self, value: Tournament, lines: Sequence[Line]) -> Names:
        return await self._names.of([value.host.player])

    # --- life ---------------------------------------------------------------------------------------------------

    def owes_time(self, value: Tournament) -> bool:
        spans = self._node.downtime.spans
        if not spans or value.state != "running" or value.bell_ms is None:
            return False
        return downtime_ms(spans, value.used_ms, self._node.clock.now_ms()) > 0

    def rests_in_store(self, value: Tournament) -> bool:
        return False

    def unknown(self) -> Rejection:
        return Rejection("unknown_tournament", "This tournament does not exist or has expired.")


def listing_of(tournament: Tournament) -> str:
    """Return the list that a tournament belongs to."""
    return tournament.state if tournament.visibility == "public" else f"{tournament.state}_unlisted"


def index_entry(tournament: Tournament, policy: Policy) -> IndexEntry:
    """Return the entry by which the store finds a tournament. In the place of a variant it has the PIN."""
    players = (tournament.host.player, *[entrant.player for entrant in tournament.entrants])
    runs = tournament.state == "running"
    return IndexEntry(stored_wake_at_ms(tournament, policy), listing_of(tournament), tournament.pin, players, runs)
