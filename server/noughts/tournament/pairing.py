"""Who plays whom: the pairs of an arena, the circle method of a round robin, and the bracket of a knockout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

Pairs: TypeAlias = list[tuple[int, int]]

SMALL: Final = 8
"""The largest field for which all pairings are compared."""
PATIENCE_MS: Final = 10_000
"""How long two entrants who have just met wait for other opponents."""
_LEFT_OUT: Final = 10_000
"""The cost of leaving an entrant out. Being left out twice running costs ten times as much."""
_PLAYED_LESS: Final = 50
"""The cost of leaving out an entrant, for each match fewer than others have played, at most :data:`_MOST_FEWER`."""
_MOST_FEWER: Final = 50
_MET: Final = 1_000
"""The cost of pairing two entrants who have just met."""


class Waiting(NamedTuple):
    """An entrant who waits for an opponent: see :class:`~noughts.tournament.tournament.Entrant`."""

    number: int
    last: int
    since_ms: int
    sat_out: bool
    matches: int = 0


_Allowed: TypeAlias = Callable[[Waiting, Waiting], bool]


def have_just_met(one: Waiting, two: Waiting) -> bool:
    """Return whether the last match of both was the one against each other."""
    return one.last == two.number and two.last == one.number


def met_pair_at_ms(one: Waiting, two: Waiting) -> int:
    """Return when two entrants who have just met may be paired although others are still playing."""
    return max(one.since_ms, two.since_ms) + PATIENCE_MS


# --- arena ------------------------------------------------------------------------------------------------------------


def arena_pairs(field: Sequence[Waiting], now_ms: int, others_play: bool) -> Pairs:
    """Return the pairs of a field, by number. The field is in the order of the table.

    As few as possible are left out, and none twice running if that can be. Partners are near each other in the table.
    Two who have just met are paired only if there is no other way, and while others are playing only after a while.
    """

    def allowed(one: Waiting, two: Waiting) -> bool:
        return not have_just_met(one, two) or not others_play or met_pair_at_ms(one, two) <= now_ms

    places = _exact(field, allowed) if len(field) <= SMALL else _down_the_table(field)
    return [(field[one].number, field[two].number) for one, two in places]


def _exact(field: Sequence[Waiting], allowed: _Allowed) -> Pairs:
    """Return the cheapest pairs of a small field, by place."""
    count = len(field)
    most = max((each.matches for each in field), default=0)

    @cache
    def best(free: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        if not free:
            return 0, ()
        one = (free & -free).bit_length() - 1
        rest = free & ~(1 << one)
        cost, pairs = best(rest)
        # One who has played more is left out rather than another, then the lowest in the table.
        fewer = min(_MOST_FEWER, most - field[one].matches)
        choice = cost + _LEFT_OUT * (10 if field[one].sat_out else 1) + _PLAYED_LESS * fewer + count - one, pairs
        for two in range(one + 1, count):
            if rest >> two & 1 and allowed(field[one], field[two]):
                cost, pairs = best(rest & ~(1 << two))
                cost += two - one + (_MET if have_just_met(field[one], field[two]) else 0)
                choice = min(choice, (cost, ((one, two), *pairs)))
        return choice

    return list(best((1 << count) - 1)[1])


def _down_the_table(field: Sequence[Waiting]) -> Pairs:
    """Pair each with the nearest below who has not just met them.

    Two who have just met each other may be left at the end. They swap partners with the pair before them: neither of them
    has just met anybody else.
    """
    places = list(range(len(field)))
    if len(places) % 2:
        places.remove(min(places, key=lambda place: (field[place].sat_out, -field[place].matches, -place)))
    pairs: Pairs = []
    while places:
        one = places.pop(0)
        partner = next((two for two in places if not have_just_met(field[one], field[two])), None)
        if partner is None:
            (three, four), two = pairs.pop(), places.pop()
            return [*pairs, (three, one), (four, two)]
        places.remove(partner)
        pairs.append((one, partner))
    return pairs


# --- round robin ------------------------------------------------------------------------------------------------------


def circle(count: int, round: int) -> Pairs:
    """Return the pairs of a round, from 0, as places around a circle of an even number of places. X's place comes first.

    The last place is in the middle and meets all others in turn. Each place has X as often as O, within one.
    """
    middle = count - 1
    pairs = [(middle, round) if round % 2 == 0 else (round, middle)]
    return pairs + [((round + step) % middle, (round - step) % middle) for step in range(1, count // 2)]


def around(pairs: Sequence[tuple[T, T]], single: T | None, nobody: T) -> list[T]:
    """Return the circle whose first round has these pairs, X first. A single entrant rests in it, opposite ``nobody``."""
    pairs = list(pairs)
    places: list[T]
    if single is None:
        x, o = pairs.pop(0)
        places = [o, *[nobody] * (2 * len(pairs)), x]
    else:
        places = [single, *[nobody] * (2 * len(pairs)), nobody]
    for step, (x, o) in enumerate(pairs, 1):
        places[step], places[-1 - step] = x, o
    return places


# --- knockout ---------------------------------------------------------------------------------------------------------


def bracket(seeds: Sequence[T], nobody: T) -> list[T]:
    """Return the slots of the first round. Slots 0 and 1 meet, and so on; the first seeds meet ``nobody``.

    Two seeds meet the later, the better they are.
    """
    order = [1]
    while len(order) < len(seeds):
        order = list(_doubled(order))
    return [seeds[seed - 1] if seed <= len(seeds) else nobody for seed in order]


def _doubled(order: Sequence[int]) -> Iterator[int]:
    for seed in order:
        yield from (seed, 2 * len(order) + 1 - seed)
