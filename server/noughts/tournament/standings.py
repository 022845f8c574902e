"""The standings: totals and ranks as functions of matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from noughts.tournament.tournament import Entrant, Match, RowState, Tournament, playing


class Total(NamedTuple):
    """What a match, or several, gave an entrant."""

    points: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    games: int = 0
    matches: int = 0


class StandingsRow(NamedTuple):
    """One line of the standings. ``match`` is the number of the match that the entrant plays now."""

    rank: int
    entrant: Entrant
    state: RowState
    match: int | None


def total_of(match: Match, entrant: int) -> Total:
    """Return what a match gave one of its entrants so far. Forfeits count as points, not as wins or games."""
    if match.state == "annulled":
        return Total()
    games = [game for game in match.games if game.counts]
    wins = sum(game.winner == entrant for game in games)
    draws = sum(game.winner is None for game in games)
    points = match.points[0 if entrant == match.first else 1]
    return Total(points, wins, draws, len(games) - wins - draws, len(games), 1)


def totals(matches: Iterable[Match]) -> dict[int, Total]:
    """Return the totals of all entrants who played any of these matches, by number."""
    sums: dict[int, Total] = {}
    for match in matches:
        for side in match.sides:
            if side:
                before = sums.get(side, Total())
                sums[side] = Total(*[one + two for one, two in zip(before, total_of(match, side), strict=True)])
    return sums


def scores(matches: Iterable[Match]) -> dict[int, dict[int, int]]:
    """Return the points of each entrant against each opponent."""
    points: dict[int, dict[int, int]] = {}
    for match in matches:
        for side, score in zip(match.sides, match.points, strict=True):
            if match.state != "annulled":
                row = points.setdefault(side, {})
                row[match.other(side)] = row.get(match.other(side), 0) + score
    return points


def rebuilt(tournament: Tournament, finished: Iterable[Match]) -> Tournament:
    """Return the tournament with all totals computed again from its finished matches and those that are on."""
    matches = (*finished, *tournament.matches)
    sums, points = totals(matches), scores(matches)
    entrants = []
    for entrant in tournament.entrants:
        total = sums.get(entrant.number, Total())
        row = points.get(entrant.number, {}) if tournament.mode == "round_robin" else {}
        kept = tuple([(other, score) for other, score in sorted(row.items()) if score])
        entrants.append(replace(entrant, **total._asdict(), scores=kept))
    return replace(tournament, entrants=tuple(entrants))


def gained(entrant: Entrant, before: Total, after: Total) -> Entrant:
    """Return an entrant whose total of one match has changed."""
    changes = {
        name: getattr(entrant, name) + new - old for name, old, new in zip(Total._fields, before, after, strict=True)
    }
    return replace(entrant, **changes)


# --- ranks ------------------------------------------------------------------------------------------------------------


def standings(tournament: Tournament) -> list[StandingsRow]:
    """Return the lines of the standings, the first rank first. Entrants who cannot be told apart share a rank."""
    keys = _keys(tournament)
    entrants = sorted([each for each in tournament.entrants if not each.hidden], key=lambda each: keys[each.number])
    matches = playing(tournament)
    rows: list[StandingsRow] = []
    for place, entrant in enumerate(entrants, 1):
        shared = place > 1 and keys[entrants[place - 2].number] == keys[entrant.number]
        match = matches.get(entrant.number)
        number = None if match is None else match.number
        rows.append(StandingsRow(rows[-1].rank if shared else place, entrant, row_state(entrant, match), number))
    return rows


def row_state(entrant: Entrant, match: Match | None) -> RowState:
    """Return what an entrant does now."""
    if entrant.standing in ("here", "paused") and match is not None:
        return "playing"
    return "waiting" if entrant.standing == "here" else entrant.standing


def _keys(tournament: Tournament) -> dict[int, tuple[int, ...]]:
    """Return what ranks each entrant, by number. The smallest is first."""
    entrants = tournament.entrants
    if tournament.mode == "knockout":
        return {each.number: (-each.reached,) for each in entrants}
    if tournament.mode == "arena":
        return {each.number: (-each.points, -each.wins, each.losses) for each in entrants}
    points = {each.number: each.points for each in entrants}
    return {each.number: _round_robin_key(each, points) for each in entrants}


def _round_robin_key(entrant: Entrant, points: dict[int, int]) -> tuple[int, ...]:
    """Return the points, the points among those who have as many, and the Sonneborn-Berger score of game points."""
    tied = sum(score for other, score in entrant.scores if points[other] == entrant.points)
    return -entrant.points, -tied, -sum(score * points[other] for other, score in entrant.scores)


def order_of_table(tournament: Tournament, numbers: Sequence[int]) -> list[int]:
    """Return entrants in the order of the standings; those who share a rank in the order in which they joined."""
    keys = _keys(tournament)
    return sorted(numbers, key=lambda number: (keys[number], number))


def winners(tournament: Tournament) -> list[Entrant]:
    """Return the entrants who have the first place: none if no match was made."""
    return [row.entrant for row in standings(tournament) if row.rank == 1 and row.entrant.matches]
