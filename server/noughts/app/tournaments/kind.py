"""What the mechanism of :mod:`noughts.app.machines` must know of tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from noughts.app.machines.kind import EventCodec, Step
from noughts.app.players.names import NameLookup
from noughts.errors import Rejection
from noughts.room.seat import Names
from noughts.store.kinds import TOURNAMENT
from noughts.store.machine_store import IndexEntry, Line
from noughts.tournament.commands import AnyCommand, Wake
from noughts.tournament.step import step
from noughts.tournament.storage import game_row, match_bytes, match_row, tournament_bytes, tournament_from
from noughts.tournament.timers import stored_wake_at_ms
from noughts.tournament.tournament import Tournament
from noughts.tournament.transition import Event, Moment, Policy


class TournamentKind:
    """A :class:`~noughts.app.machines.kind.Kind`."""

    name: Final = TOURNAMENT
    wake: Final = Wake()
    events: Final = EventCodec(tuple[Event, ...])

    def __init__(self, policy: Policy, names: NameLookup) -> None:
        self._policy = policy
        self._names = names

    def step(self, value: Tournament, command: AnyCommand, at: Moment) -> Step[Tournament, Event]:
        transition = step(value, command, at)
        records = [(match_row(match.number), match_bytes(match)) for match in transition.finished]
        records += [(game_row(match, game), data) for match, game, data in transition.games]
        return Step(transition.tournament, transition.events, tuple(records))

    def closed(self, value: Tournament, version: int) -> Tournament:
        return replace(value, closed=True, version=version)

    def unknown(self) -> Rejection:
        return Rejection("unknown_tournament", "This tournament does not exist or has expired.")

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


def listing_of(tournament: Tournament) -> str:
    """Return the list that a tournament belongs to."""
    return tournament.state if tournament.visibility == "public" else f"{tournament.state}_unlisted"


def index_entry(tournament: Tournament, policy: Policy) -> IndexEntry:
    """Return the entry by which the store finds a tournament. In the place of a variant it has the PIN."""
    players = (tournament.host.player, *[entrant.player for entrant in tournament.entrants])
    runs = tournament.state == "running"
    return IndexEntry(stored_wake_at_ms(tournament, policy), listing_of(tournament), tournament.pin, players, runs)
