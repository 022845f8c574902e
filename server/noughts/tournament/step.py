"""The tournament's one state machine: :func:`step` takes a frozen tournament and a command, and returns a new one.

It raises a :class:`~noughts.errors.Rejection` for a command that is not allowed, with the first code that applies in the
order of :data:`noughts.errors.CODES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.seat import SOMEONE, Person
from noughts.tournament.commands import (
    Annul,
    AnyCommand,
    Discard,
    Extend,
    Forget,
    FreeEntrant,
    Join,
    Leave,
    Pause,
    Recount,
    Remove,
    RenameEntrant,
    Report,
    Reported,
    Request,
    Start,
    Stop,
    TournamentCommand,
    Unpause,
    Wake,
)
from noughts.tournament.entry import check_entry, joined, resumed
from noughts.tournament.match_flow import annul, begin_game, end_game, end_match, forfeit, room_closed
from noughts.tournament.rounds import first_round
from noughts.tournament.standings import rebuilt
from noughts.tournament.timers import advance, ended, settled, without_downtime
from noughts.tournament.tournament import Entrant, Standing, Tournament, entrant_of, folded, taken_names, with_entrant
from noughts.tournament.transition import Ended, Event, Moment, Started, Transition

MINUTE_MS: Final = 60_000
FEWEST_ENTRANTS: Final = 2


def step(tournament: Tournament, command: AnyCommand, at: Moment) -> Transition:
    """Return the tournament after one command. Raise :class:`Rejection` for a command that is not allowed.

    First the bell is moved by downtime and everything that is due by now is carried out, then the command, then what is due
    because of it. All of it is one change. The version stays the same when nothing changes.
    """
    ready = advance(without_downtime(tournament, at), at)
    if isinstance(command, Request):
        if ready.tournament.closed:
            raise Rejection("forbidden", "This tournament does not exist any more.")
        after = _COMMANDS[type(command.command)](ready.tournament, command.by, command, at)
    else:
        after = _APPLICATION_COMMANDS[type(command)](ready.tournament, command, at)
    transition = ready.then(after)
    transition = transition.of(settled(transition.tournament, at, tournament))
    transition = transition.then(advance(transition.tournament, at))
    if transition.tournament is tournament:
        return transition
    changed = replace(transition.tournament, version=tournament.version + 1, used_ms=at.now_ms)
    return transition.then(Transition(changed, _events(tournament, changed)))


def _events(before: Tournament, after: Tournament) -> tuple[Event, ...]:
    """Return the start and the end of a tournament, if a change brought them. One that never started does not end."""
    if before.state == after.state or after.started_ms is None:
        return ()
    started: tuple[Event, ...] = (Started(),) if before.started_ms is None else ()
    return started if after.over_ms is None else (*started, Ended())


# --- checks -----------------------------------------------------------------------------------------------------------


def _own(tournament: Tournament, by: Person) -> Entrant:
    entrant = entrant_of(tournament, by.player)
    if entrant is None:
        raise Rejection("not_seated", "You are not an entrant of this tournament: join it first.")
    return entrant


def _check_host(tournament: Tournament, by: Person) -> None:
    if tournament.host.player != by.player:
        raise Rejection("forbidden", "Only the host of the tournament may do that.")


def _check_not_over(tournament: Tournament) -> None:
    if tournament.state == "over":
        raise Rejection("forbidden", "The tournament is over.")


def _named(tournament: Tournament, number: int) -> Entrant:
    if not tournament.has_entrant(number):
        raise Rejection("bad_message", "There is no entrant with this number.")
    return tournament.entrant(number)


# --- commands of entrants ---------------------------------------------------------------------------------------------


def _leave(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    entrant = _own(tournament, by)
    _check_not_over(tournament)
    if entrant.gone:
        raise Rejection("forbidden", "You have left this tournament already.")
    return _departed(tournament, entrant, "left", at)


def _pause(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    entrant = _own(tournament, by)
    _check_not_over(tournament)
    if entrant.standing != "here":
        raise Rejection("forbidden", "You do not take part now: resume first.")
    return Transition(with_entrant(tournament, replace(entrant, standing="paused")))


def _resume(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    entrant = _own(tournament, by)
    _check_not_over(tournament)
    return resumed(tournament, entrant, at)


# --- commands of the host ---------------------------------------------------------------------------------------------


def _start(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    if tournament.state != "open":
        raise Rejection("forbidden", "The tournament has begun.")
    if sum(entrant.standing == "here" for entrant in tournament.entrants) < FEWEST_ENTRANTS:
        raise Rejection("forbidden", "A tournament needs two entrants: wait for another.")
    bell_ms = None if tournament.minutes is None else at.now_ms + tournament.minutes * MINUTE_MS
    entrants = tuple([replace(entrant, since_ms=at.now_ms) for entrant in tournament.entrants])
    begun = replace(tournament, state="running", started_ms=at.now_ms, bell_ms=bell_ms, entrants=entrants)
    return first_round(begun, at)


def _stop(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    _check_not_over(tournament)
    if tournament.state == "open":
        return Transition(ended(tournament, at.now_ms))
    if tournament.rung:
        raise Rejection("forbidden", "The bell has rung: the games that are on are played out.")
    bell_ms = tournament.bell_ms if tournament.bell_ms is None else at.now_ms
    stopped = replace(tournament, rung=True, bell_ms=bell_ms, pair_at_ms=None)
    transition = Transition(stopped)
    if tournament.mode != "arena":
        # A second game that has not begun is not played.
        for match in tournament.matches:
            if match.stage == "next":
                transition = transition.then(end_match(transition.tournament, match, at))
    return transition


def _extend(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    command = request.command
    assert isinstance(command, Extend)
    if tournament.mode != "arena":
        raise Rejection("forbidden", "Only an arena has a bell that can be moved.")
    if tournament.bell_ms is None or tournament.rung:
        raise Rejection("forbidden", "The bell can be moved from the start until it rings.")
    bell_ms = tournament.bell_ms + command.minutes * MINUTE_MS
    return Transition(replace(tournament, bell_ms=bell_ms))


def _remove(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    command = request.command
    assert isinstance(command, Remove | FreeEntrant)
    entrant = _named(tournament, command.entrant)
    _check_not_over(tournament)
    freed = isinstance(command, FreeEntrant)
    if entrant.standing == "removed" and entrant.barred != freed:
        raise Rejection("forbidden", "This entrant was removed already.")
    return _departed(tournament, replace(entrant, freed=entrant.freed or freed, barred=not freed), "removed", at)


def _rename(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    command = request.command
    assert isinstance(command, RenameEntrant)
    entrant = _named(tournament, command.entrant)
    if folded(command.name) in taken_names(tournament, entrant.number):
        raise Rejection("forbidden", "Another entrant has this name: choose another one.")
    names = tuple([command.name if name == entrant.name else name for name in tournament.names])
    if len({folded(name) for name in names}) < len(names):
        raise Rejection("forbidden", "This name is kept for another entrant: choose another one.")
    renamed = with_entrant(replace(tournament, names=names), replace(entrant, name=command.name))
    return Transition(renamed)


def _annul(tournament: Tournament, by: Person, request: Request, at: Moment) -> Transition:
    _check_host(tournament, by)
    command = request.command
    assert isinstance(command, Annul)
    match = tournament.match(command.match) or request.record
    if command.match in tournament.annulled or (match is not None and match.state == "annulled"):
        raise Rejection("forbidden", "This match was annulled already.")
    if match is None or match.number != command.match:
        raise Rejection("bad_message", "There is no match with this number.")
    if not match.second:
        raise Rejection("forbidden", "A bye cannot be annulled.")
    if tournament.mode == "knockout":
        if tournament.state == "over":
            raise Rejection("forbidden", "The tournament is over.")
        if match.round != tournament.round:
            raise Rejection("forbidden", "The winner's next match has begun.")
    return annul(tournament, match, at)


def _departed(tournament: Tournament, entrant: Entrant, standing: Standing, at: Moment) -> Transition:
    """Let an entrant go. A game that is on is resigned in its room; what has not begun is forfeited."""
    number = entrant.number
    tournament = with_entrant(tournament, replace(entrant, standing=standing))
    transition, match = Transition(tournament), tournament.match_of(number)
    if match is None or match.stage == "on":
        return transition
    return transition.then(forfeit(tournament, match, (number,), at))


_Handler: TypeAlias = Callable[[Tournament, Person, Request, Moment], Transition]

_COMMANDS: Final[Mapping[type[TournamentCommand], _Handler]] = MappingProxyType(
    {
        Leave: _leave,
        Pause: _pause,
        Unpause: _resume,
        Start: _start,
        Stop: _stop,
        Extend: _extend,
        Remove: _remove,
        FreeEntrant: _remove,
        RenameEntrant: _rename,
        Annul: _annul,
    }
)

# --- commands of the application --------------------------------------------------------------------------------------


def _join(tournament: Tournament, command: Join, at: Moment) -> Transition:
    check_entry(tournament, command.by)
    return joined(tournament, command.by, command.name, at)


def _reported(tournament: Tournament, command: Reported, at: Moment) -> Transition:
    transition = Transition(tournament)
    for report in command.reports:
        transition = transition.then(_report(transition.tournament, report, at))
    return transition


def _report(tournament: Tournament, report: Report, at: Moment) -> Transition:
    """Take one report into account, unless the tournament knows it: each game counts once."""
    match = tournament.match(report.match)
    if match is None:
        return Transition(room_closed(tournament, report.match) if report.gone else tournament)
    if report.gone:
        if match.stage == "room":
            return Transition(tournament)
        transition = annul(tournament, match, at)
        return transition.of(room_closed(transition.tournament, match.number))
    if report.game != match.game:
        return Transition(tournament)
    begun = begin_game(tournament, match, at) if match.stage != "on" else Transition(tournament)
    if report.ending is None:
        return begun
    match = begun.tournament.match(report.match)
    assert match is not None
    return begun.then(end_game(begun.tournament, match, report.ending, at))


def _forget(tournament: Tournament, command: Forget, at: Moment) -> Transition:
    """Show the entrant as someone. Other players keep the name that they have in the tournament, whatever theirs is now."""
    entrant = entrant_of(tournament, command.player)
    if entrant is None or entrant.name == SOMEONE:
        return Transition(tournament)
    entrant = replace(entrant, name=SOMEONE)
    if entrant.gone or tournament.state == "over":
        return Transition(with_entrant(tournament, entrant))
    return _departed(tournament, entrant, "left", at)


def _recount(tournament: Tournament, command: Recount, at: Moment) -> Transition:
    if tournament.version != command.version:
        raise Rejection("stale", "The tournament has gone on: count again.")
    counted = rebuilt(tournament, command.finished)
    return Transition(tournament if counted == tournament else counted)


def _discard(tournament: Tournament, command: Discard, at: Moment) -> Transition:
    return Transition(replace(tournament, closed=True))


def _wake(tournament: Tournament, command: Wake, at: Moment) -> Transition:
    return Transition(tournament)


_ApplicationHandler: TypeAlias = Callable[[Tournament, Any, Moment], Transition]

_APPLICATION_COMMANDS: Final[Mapping[type[AnyCommand], _ApplicationHandler]] = MappingProxyType(
    {Join: _join, Reported: _reported, Forget: _forget, Recount: _recount, Discard: _discard, Wake: _wake}
)
