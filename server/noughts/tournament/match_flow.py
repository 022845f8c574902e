"""The start, the games and the end of matches, with the totals of their entrants."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from noughts.tournament.commands import Ending
from noughts.tournament.standings import Total, gained, total_of
from noughts.tournament.tournament import (
    BYE,
    DRAW,
    MAX_ANNULLED,
    WIN,
    Entrant,
    Match,
    MatchGame,
    Tournament,
    with_entrant,
    with_match,
)
from noughts.tournament.transition import Began, Moment, Transition

SAME_TIME_MS: Final = 100
"""Two sides that used times to think within this of each other used the same time."""
MAX_ABSENCES: Final = 2
"""An entrant who did not come to this many matches is out, where there are rounds."""
FREE_QUITS: Final = 1
"""An entrant's games resigned before its first move that count in an arena. Further ones give the opponent nothing."""


def stored(tournament: Tournament, before: Match | None, after: Match) -> Tournament:
    """Return the tournament with the totals of a match's entrants after the match has changed."""
    for side, index in ((after.first, 0), (after.second, 1)):
        if side == BYE:
            continue
        entrant = tournament.entrant(side)
        old = Total() if before is None else total_of(before, side)
        entrant = gained(entrant, old, total_of(after, side))
        if tournament.mode == "round_robin":
            scores = dict(entrant.scores)
            gain = _points(after, index) - (0 if before is None else _points(before, index))
            scores[after.other(side)] = scores.get(after.other(side), 0) + gain
            kept = [(other, score) for other, score in sorted(scores.items()) if score]
            entrant = replace(entrant, scores=tuple(kept))
        tournament = with_entrant(tournament, entrant)
    return tournament


def _points(match: Match, index: int) -> int:
    return 0 if match.state == "annulled" else match.points[index]


# --- the start --------------------------------------------------------------------------------------------------------


def make_match(tournament: Tournament, first: int, second: int, at: Moment) -> Transition:
    """Make a match. One that an entrant cannot play is forfeited at once, and a bye is over at once."""
    match = Match(tournament.match_count + 1, tournament.round, first, second, at.now_ms)
    tournament = replace(tournament, match_count=match.number, matches=(*tournament.matches, match))
    for side in match.sides:
        if side != BYE:
            entrant = tournament.entrant(side)
            entrant = replace(entrant, last=match.other(side), sat_out=False, reached=tournament.round)
            tournament = with_entrant(tournament, entrant)
    tournament = stored(tournament, None, match)
    if second == BYE:
        return end_match(tournament, replace(match, advances=first), at)
    absent = tuple([side for side in match.sides if tournament.entrant(side).standing != "here"])
    return forfeit(tournament, match, absent, at) if absent else Transition(tournament)


def begin_game(tournament: Tournament, match: Match, at: Moment) -> Transition:
    """Note that the room of a match exists, or that the next game has begun in it."""
    events = (Began(match.number),) if match.stage == "room" else ()
    return Transition(with_match(tournament, replace(match, stage="on", began_ms=at.now_ms)), events)


# --- the end ----------------------------------------------------------------------------------------------------------


def end_game(tournament: Tournament, match: Match, ending: Ending, at: Moment) -> Transition:
    """Count a game that has ended. End the match with its last game, and when an entrant is gone or did not come."""
    number, x = match.game, match.x
    o = match.other(x)
    winner = {"X": x, "O": o, None: None}[ending.winner]
    absent = (x, o)[ending.ply % 2] if ending.reason == "aborted" else None
    loser = None if winner is None else match.other(winner)
    if ending.reason == "resignation" and loser is not None and ending.ply <= (loser == o):
        entrant = tournament.entrant(loser)
        tournament = with_entrant(tournament, replace(entrant, quits=entrant.quits + 1))
    counts = absent is None and not _is_empty(tournament, ending, loser, loser == o)
    thought_ms = ending.thought_ms if x == match.first else ending.thought_ms[::-1]
    game = MatchGame(number, x, winner, ending.reason, counts, thought_ms)
    after = replace(match, games=(*match.games, game))
    if counts:
        gains = tuple([DRAW if winner is None else WIN * (winner == side) for side in match.sides])
        after = replace(after, points=(match.points[0] + gains[0], match.points[1] + gains[1]))
        entrant = tournament.entrant(x)
        tournament = with_entrant(tournament, replace(entrant, x_games=entrant.x_games + 1))
    tournament = stored(with_match(tournament, after), match, after)
    games = ((match.number, number, ending.data),)
    if absent is not None and not tournament.closing:
        return Transition(tournament, games=games).then(_absent(tournament, after, absent, at))
    if number >= tournament.games or tournament.closing or (tournament.rung and tournament.mode != "arena"):
        return Transition(tournament, games=games).then(end_match(tournament, after, at))
    if gone := gone_sides(tournament, after):
        return Transition(tournament, games=games).then(forfeit(tournament, after, gone, at))
    return Transition(with_match(tournament, replace(after, stage="next")), games=games)


def _is_empty(tournament: Tournament, ending: Ending, loser: int | None, second: bool) -> bool:
    """Return whether a game was resigned before the loser's first move, as the loser has done before in this arena."""
    if tournament.mode != "arena" or loser is None or ending.reason != "resignation" or ending.ply > second:
        return False
    return tournament.entrant(loser).quits > FREE_QUITS


def _absent(tournament: Tournament, match: Match, absent: int, at: Moment) -> Transition:
    """Forfeit a match to which an entrant did not come."""
    entrant = tournament.entrant(absent)
    entrant = replace(entrant, absences=entrant.absences + 1)
    if entrant.standing == "here":
        if tournament.mode == "arena":
            entrant = replace(entrant, standing="paused")
        elif entrant.absences >= MAX_ABSENCES:
            entrant = replace(entrant, standing="out")
    return forfeit(with_entrant(tournament, entrant), match, (absent, *gone_sides(tournament, match)), at)


def gone_sides(tournament: Tournament, match: Match) -> tuple[int, ...]:
    """Return the entrants of a match who have left or were removed."""
    return tuple([side for side in match.sides if tournament.entrant(side).gone])


def forfeit(tournament: Tournament, match: Match, absent: tuple[int, ...], at: Moment) -> Transition:
    """End a match that an entrant does not play to its end.

    Where there are rounds, the other entrant has the points of a win for each game that is not played.
    """
    here = [side for side in match.sides if side not in absent]
    after = replace(match, state="forfeited")
    if tournament.mode != "arena" and len(here) == 1:
        played = sum(game.reason != "aborted" for game in match.games)
        gain = WIN * (tournament.games - played)
        one, two = match.points
        points = (one + gain, two) if here[0] == match.first else (one, two + gain)
        after = replace(after, points=points, advances=here[0])
    return end_match(stored(with_match(tournament, after), match, after), after, at)


def annul(tournament: Tournament, match: Match, at: Moment) -> Transition:
    """Annul a match that is on or finished. The room of one that was on has to be closed.

    Before the bell the match is made again in a knockout, and in a round robin if it was on.
    """
    was_on = tournament.match(match.number) is not None
    after = replace(match, state="annulled", advances=0, decided_by=None)
    tournament = stored(tournament, match, after)
    tournament = replace(tournament, annulled=(*tournament.annulled, match.number)[-MAX_ANNULLED:])
    if was_on:
        tournament = replace(tournament, to_close=(*tournament.to_close, after))
        transition = end_match(with_match(tournament, after), after, at)
    else:
        transition = Transition(tournament, finished=(after,))
    tournament = transition.tournament
    if tournament.mode == "knockout":
        place = tournament.slots.index(match.first) // 2
        winners = tuple([0 if at_place == place else winner for at_place, winner in enumerate(tournament.winners)])
        tournament = replace(tournament, winners=winners, pair_at_ms=None)
        for side in match.sides:
            if tournament.entrant(side).standing == "out":
                tournament = with_entrant(tournament, replace(tournament.entrant(side), standing="here"))
    again = tournament.mode == "knockout" or (was_on and tournament.mode == "round_robin")
    if again and not tournament.rung:
        return transition.of(tournament).then(make_match(tournament, match.first, match.second, at))
    return transition.of(tournament)


def room_closed(tournament: Tournament, match: int) -> Tournament:
    """Return the tournament once the room of an annulled match is closed."""
    left = tuple([each for each in tournament.to_close if each.number != match])
    return tournament if len(left) == len(tournament.to_close) else replace(tournament, to_close=left)


def drop_match(tournament: Tournament, match: Match, at: Moment) -> Transition:
    """End a match that has not begun, as if it had not been made."""
    after = replace(match, state="annulled")
    return end_match(stored(with_match(tournament, after), match, after), after, at)


def end_match(tournament: Tournament, match: Match, at: Moment) -> Transition:
    """Take a match out of those that are on. Its entrants are free again."""
    if match.state == "playing":
        match = replace(match, state="over")
    if tournament.mode == "knockout" and match.state != "annulled" and match.second != BYE:
        match = _decided(match, at.lots(tournament).random())
    matches = tuple([each for each in tournament.matches if each.number != match.number])
    tournament = replace(tournament, matches=matches)
    for side in match.sides:
        if side != BYE:
            tournament = with_entrant(tournament, _freed(tournament, match, side, at))
    if tournament.mode == "knockout" and match.advances:
        place = tournament.slots.index(match.first) // 2
        winners = list(tournament.winners)
        winners[place] = match.advances
        tournament = replace(tournament, winners=tuple(winners))
    return Transition(tournament, finished=(match,))


def _freed(tournament: Tournament, match: Match, side: int, at: Moment) -> Entrant:
    entrant = replace(tournament.entrant(side), since_ms=at.now_ms)
    lost = tournament.mode == "knockout" and match.advances not in (0, side)
    return replace(entrant, standing="out") if lost and not entrant.gone else entrant


def _decided(match: Match, lot: float) -> Match:
    """Return a match of a knockout with the entrant who goes on: by points, by less time to think, or by lot."""
    if match.advances:
        return match
    if match.leader is not None:
        return replace(match, advances=match.leader)
    times_ms = [sum(game.thought_ms[index] for game in match.games) for index in (0, 1)]
    if match.state == "over" and abs(times_ms[0] - times_ms[1]) > SAME_TIME_MS:
        return replace(match, advances=match.sides[times_ms[0] > times_ms[1]], decided_by="time")
    return replace(match, advances=match.sides[lot < 0.5], decided_by="lot")
