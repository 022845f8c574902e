"""The pairing of a field: a pass of an arena, the next round of a round robin or a knockout."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from noughts.tournament.match_flow import make_match
from noughts.tournament.pairing import Waiting, arena_pairs, around, bracket, circle, met_pair_at_ms
from noughts.tournament.tournament import BYE, Tournament, with_entrant
from noughts.tournament.transition import Moment, Transition


def arena_pass(tournament: Tournament, field: Sequence[Waiting], at: Moment) -> Transition:
    """Pair those who wait. Who had X in fewer games has X first."""
    pairs = arena_pairs(field, at.now_ms, bool(tournament.matches))
    transition = Transition(replace(tournament, pair_at_ms=None))
    for one, two in pairs:
        first, second = with_fewer_x(transition.tournament, one, two, at)
        transition = transition.then(make_match(transition.tournament, first, second, at))
    tournament, paired = transition.tournament, {side for pair in pairs for side in pair}
    left = [each for each in field if each.number not in paired]
    if pairs:
        for each in left:
            tournament = with_entrant(tournament, replace(tournament.entrant(each.number), sat_out=True))
    if len(left) > 1:
        # Only two who have just met are left. They wait for others while others are playing.
        tournament = replace(tournament, pair_at_ms=max(at.now_ms + 1, met_pair_at_ms(left[0], left[1])))
    return transition.of(tournament)


def with_fewer_x(tournament: Tournament, one: int, two: int, at: Moment) -> tuple[int, int]:
    """Return two entrants, first the one who had X in fewer games. If both had it as often, a lot decides."""
    x_games = tournament.entrant(one).x_games, tournament.entrant(two).x_games
    if x_games[0] == x_games[1]:
        return (one, two) if at.lots(tournament).random() < 0.5 else (two, one)
    return (one, two) if x_games[0] < x_games[1] else (two, one)


def first_round(tournament: Tournament, at: Moment) -> Transition:
    """Begin the first round, or open the field of an arena."""
    if tournament.mode == "arena":
        return Transition(replace(tournament, pair_at_ms=at.now_ms))
    field = [each.number for each in tournament.entrants if each.standing == "here"]
    lots = at.lots(tournament)
    if tournament.mode == "round_robin":
        lots.shuffle(field)
        tournament = replace(tournament, round=1)
        transition = Transition(tournament)
        for x, o in zip(field[::2], field[1::2], strict=False):
            transition = transition.then(first_round_match(transition.tournament, x, o, at))
        return transition
    if tournament.entry == "names":
        place_of = {name: place for place, name in enumerate(tournament.names)}
        field.sort(key=lambda number: place_of.get(tournament.entrant(number).name, len(place_of)))
    else:
        lots.shuffle(field)
    return _knockout_round(replace(tournament, round=1, slots=tuple(bracket(field, BYE))), at)


def first_round_match(tournament: Tournament, x: int, o: int, at: Moment) -> Transition:
    """Pair two entrants in the first round of a round robin."""
    return make_match(replace(tournament, slots=(*tournament.slots, x, o)), x, o, at)


def single_of(tournament: Tournament) -> int | None:
    """Return the entrant of a round robin who rests in the first round; None if none does."""
    paired = set(tournament.slots)
    singles = [each.number for each in tournament.entrants if each.number not in paired and each.standing == "here"]
    return singles[0] if singles else None


def next_round(tournament: Tournament, at: Moment) -> Transition:
    """Begin the next round, or end the tournament after the last one."""
    if tournament.mode == "knockout":
        return _next_knockout_round(tournament, at)
    if not tournament.order:
        slots, single = tournament.slots, single_of(tournament)
        pairs = list(zip(slots[::2], slots[1::2], strict=True))
        tournament = replace(tournament, order=tuple(around(pairs, single, BYE)))
    if tournament.round >= len(tournament.order) - 1:
        return _over(tournament, at)
    transition = Transition(replace(tournament, round=tournament.round + 1))
    order = tournament.order
    for x, o in circle(len(order), tournament.round):
        if order[x] != BYE and order[o] != BYE:
            transition = transition.then(make_match(transition.tournament, order[x], order[o], at))
    return transition


def _next_knockout_round(tournament: Tournament, at: Moment) -> Transition:
    if len(tournament.slots) == 2:
        champion = tournament.entrant(tournament.winners[0])
        return _over(with_entrant(tournament, replace(champion, reached=tournament.round + 1)), at)
    tournament = replace(tournament, round=tournament.round + 1, slots=tournament.winners)
    return _knockout_round(tournament, at)


def _knockout_round(tournament: Tournament, at: Moment) -> Transition:
    slots = tournament.slots
    tournament = replace(tournament, winners=(0,) * (len(slots) // 2))
    transition = Transition(tournament)
    for one, two in zip(slots[::2], slots[1::2], strict=True):
        if two == BYE:
            first, second = one, two
        else:
            first, second = with_fewer_x(transition.tournament, one, two, at)
        transition = transition.then(make_match(transition.tournament, first, second, at))
    return transition


def _over(tournament: Tournament, at: Moment) -> Transition:
    return Transition(replace(tournament, state="over", over_ms=at.now_ms, rung=True))
