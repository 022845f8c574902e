"""What happens in a tournament with the passing of time: when (:func:`wake_at_ms`), and what (:func:`advance`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from msgspec.structs import replace

from noughts.room.downtime import downtime_ms
from noughts.tournament.match_flow import drop_match, end_match
from noughts.tournament.pairing import Waiting
from noughts.tournament.rounds import arena_pass, next_round
from noughts.tournament.standings import order_of_table
from noughts.tournament.tournament import Tournament, playing
from noughts.tournament.transition import Moment, Policy, Transition

PAIR_MS: Final = 300
"""The pause before an arena pairs those who have just become free, so that others may become free too."""
ROUND_MS: Final = 2_000
"""The pause after a round."""
CLOSING_MS: Final = 300_000
"""How long after the bell the games that are on are ended."""

_Deadline: TypeAlias = Callable[[Tournament, Policy], int | None]


def wake_at_ms(tournament: Tournament, policy: Policy) -> int | None:
    """Return when the tournament next needs attention if no command comes; None while only its rooms can change it."""
    times = [at_ms_of(tournament, policy) for at_ms_of, _ in _PARTS]
    return min([at_ms for at_ms in times if at_ms is not None], default=None)


def stored_wake_at_ms(tournament: Tournament, policy: Policy) -> int:
    """Return the deadline in the index entry. While the tournament runs it is always due: any node that is free attends."""
    if tournament.state == "running":
        return tournament.started_ms or 0
    return _expires_ms(tournament, policy) or 0


def without_downtime(tournament: Tournament, at: Moment) -> Tournament:
    """Return the tournament with its bell moved by the downtime since its last change."""
    if tournament.state != "running" or tournament.bell_ms is None or tournament.closing or not at.downtimes:
        return tournament
    lost_ms = downtime_ms(at.downtimes, tournament.used_ms, at.now_ms)
    return replace(tournament, bell_ms=tournament.bell_ms + lost_ms) if lost_ms > 0 else tournament


# --- when something is due ---------------------------------------------------------------------------------------------


def _running(tournament: Tournament) -> bool:
    return tournament.state == "running"


def _bell_at_ms(tournament: Tournament, policy: Policy) -> int | None:
    return tournament.bell_ms if _running(tournament) and not tournament.rung else None


def _closing_at_ms(tournament: Tournament, policy: Policy) -> int | None:
    if not _running(tournament) or not tournament.rung or tournament.closing or tournament.bell_ms is None:
        return None
    return tournament.bell_ms + CLOSING_MS


def _over_at_ms(tournament: Tournament, policy: Policy) -> int | None:
    """Return when the tournament ends: after the bell, at once when the last match is over and its room needs nothing."""
    on = tournament.matches or tournament.to_close
    return tournament.used_ms if _running(tournament) and tournament.rung and not on else None


def _pairing_at_ms(tournament: Tournament, policy: Policy) -> int | None:
    return tournament.pair_at_ms if _running(tournament) and not tournament.rung else None


def _expires_ms(tournament: Tournament, policy: Policy) -> int | None:
    if tournament.over_ms is not None:
        return tournament.over_ms + policy.kept_ms
    return tournament.used_ms + policy.unstarted_ms if tournament.state == "open" else None


# --- what is then carried out ------------------------------------------------------------------------------------------


def advance(tournament: Tournament, at: Moment) -> Transition:
    """Carry out what is due by now. Return a transition with the same tournament object when nothing is due."""
    transition = Transition(tournament)
    for at_ms_of, carry_out in _PARTS:
        at_ms = at_ms_of(transition.tournament, at.policy)
        if at_ms is not None and at_ms <= at.now_ms:
            transition = transition.then(carry_out(transition.tournament, at))
    return transition


def _ring(tournament: Tournament, at: Moment) -> Transition:
    return Transition(replace(tournament, rung=True, pair_at_ms=None))


def _close_matches(tournament: Tournament, at: Moment) -> Transition:
    """Drop what has not begun. The games that are on are ended in their rooms."""
    transition = Transition(replace(tournament, closing=True))
    for match in tournament.matches:
        if match.stage == "next":
            transition = transition.then(end_match(transition.tournament, match, at))
        elif match.stage == "room":
            transition = transition.then(drop_match(transition.tournament, match, at))
    return transition


def _end(tournament: Tournament, at: Moment) -> Transition:
    return Transition(ended(tournament, at.now_ms))


def ended(tournament: Tournament, now_ms: int) -> Tournament:
    """Return the tournament after its end."""
    return replace(tournament, state="over", over_ms=now_ms, rung=True, pair_at_ms=None)


def _pair(tournament: Tournament, at: Moment) -> Transition:
    if tournament.mode == "arena":
        if at.full:
            return _ring(replace(tournament, bell_ms=at.now_ms), at)
        return arena_pass(tournament, waiting(tournament), at)
    return next_round(replace(tournament, pair_at_ms=None), at)


def _expire(tournament: Tournament, at: Moment) -> Transition:
    return Transition(replace(tournament, closed=True))


_PARTS: Final[tuple[tuple[_Deadline, Callable[[Tournament, Moment], Transition]], ...]] = (
    (_bell_at_ms, _ring),
    (_closing_at_ms, _close_matches),
    (_pairing_at_ms, _pair),
    (_over_at_ms, _end),
    (_expires_ms, _expire),
)
"""What can fall due, in the order in which it is carried out: when, and what then."""


# --- after each change -------------------------------------------------------------------------------------------------


def _free(tournament: Tournament) -> list[int]:
    """Return the entrants who wait for an opponent."""
    busy = playing(tournament)
    return [each.number for each in tournament.entrants if each.standing == "here" and each.number not in busy]


def waiting(tournament: Tournament) -> list[Waiting]:
    """Return the entrants who wait for an opponent, in the order of the table."""
    field = [tournament.entrant(number) for number in order_of_table(tournament, _free(tournament))]
    return [Waiting(each.number, each.last, each.since_ms, each.sat_out, each.matches) for each in field]


def settled(tournament: Tournament, at: Moment, before: Tournament) -> Tournament:
    """Return the tournament with the time of its next pairing, after a change of its entrants or its matches."""
    if tournament.state != "running" or tournament.rung or tournament.closed:
        return tournament
    if tournament.entrants is before.entrants and tournament.matches is before.matches:
        return tournament
    if tournament.mode == "arena":
        soon_ms = at.now_ms + PAIR_MS
        if (tournament.pair_at_ms is not None and tournament.pair_at_ms <= soon_ms) or len(_free(tournament)) < 2:
            return tournament
        return replace(tournament, pair_at_ms=soon_ms)
    if tournament.matches:
        return replace(tournament, pair_at_ms=None)
    return tournament if tournament.pair_at_ms is not None else replace(tournament, pair_at_ms=at.now_ms + ROUND_MS)
