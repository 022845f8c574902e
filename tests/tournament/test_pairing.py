"""Pairs of an arena, of a round robin and of a knockout."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.tournament.pairing import (
    PATIENCE_MS,
    Waiting,
    arena_pairs,
    around,
    bracket,
    circle,
    have_just_met,
)

SIZES = range(2, 65)


def field_of(*numbers: int, met: tuple[tuple[int, int], ...] = (), sat_out: tuple[int, ...] = ()) -> list[Waiting]:
    last = dict([*met, *[pair[::-1] for pair in met]])
    return [Waiting(number, last.get(number, 0), 0, number in sat_out) for number in numbers]


def neighbours_met(count: int) -> list[Waiting]:
    """Return a field in which each has just met a neighbour in the table."""
    return field_of(*range(1, count + 1), met=tuple((one, one + 1) for one in range(1, count, 2)))


# --- arena ------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 80), st.integers(0, 1 << 32), st.booleans(), st.sampled_from((0, PATIENCE_MS)))
def test_an_arena_pairs_everybody_it_can(count: int, seed: int, others_play: bool, now_ms: int) -> None:
    rng = random.Random(seed)
    order = list(range(1, count + 1))
    rng.shuffle(order)
    met = tuple(zip(order[: count // 2 * 2 : 2], order[1::2], strict=True))
    field = field_of(*range(1, count + 1), met=tuple(rng.sample(met, rng.randint(0, len(met)))))
    pairs = arena_pairs(field, now_ms, others_play)
    numbers = [number for pair in pairs for number in pair]
    assert len(numbers) == len(set(numbers))
    assert set(numbers) <= set(order)
    of = {each.number: each for each in field}
    if others_play and now_ms < PATIENCE_MS:
        assert not any(have_just_met(of[one], of[two]) for one, two in pairs)
    left = [of[number] for number in order if number not in numbers]
    if count > 3:
        assert len(left) == count % 2
    else:
        assert len(left) == count % 2 or (have_just_met(*left[:2]) and others_play and now_ms < PATIENCE_MS)


@pytest.mark.parametrize("count", SIZES)
def test_two_who_have_just_met_get_other_opponents(count: int) -> None:
    field = neighbours_met(count)
    of = {each.number: each for each in field}
    pairs = arena_pairs(field, 0, others_play=False)
    met = [pair for pair in pairs if have_just_met(of[pair[0]], of[pair[1]])]
    assert len(met) == (count == 2)
    assert len(pairs) == count // 2


def test_two_who_have_just_met_wait_while_others_play() -> None:
    field = field_of(1, 2, met=((1, 2),))
    assert arena_pairs(field, PATIENCE_MS - 1, others_play=True) == []
    assert arena_pairs(field, PATIENCE_MS, others_play=True) == [(1, 2)]
    assert arena_pairs(field, 0, others_play=False) == [(1, 2)]


def test_nobody_is_left_out_twice_running() -> None:
    assert arena_pairs(field_of(1, 2, 3, sat_out=(3,)), 0, others_play=False) == [(1, 3)]
    assert arena_pairs(field_of(1, 2, 3, met=((1, 2),), sat_out=(3,)), 0, others_play=False) == [(1, 3)]
    last = tuple(range(3, 22))
    pairs = arena_pairs(field_of(1, 2, *last, sat_out=last), 0, others_play=False)
    assert {number for pair in pairs for number in pair} == {1, *last}
    all_sat_out = field_of(*range(1, 12), sat_out=tuple(range(1, 12)))
    assert {number for pair in arena_pairs(all_sat_out, 0, others_play=False) for number in pair} == set(range(1, 11))


def test_one_who_has_played_more_is_left_out() -> None:
    for count in (3, 11):
        field = [each._replace(matches=each.number == 2) for each in field_of(*range(1, count + 1))]
        paired = {number for pair in arena_pairs(field, 0, others_play=False) for number in pair}
        assert set(range(1, count + 1)) - paired == {2}


def test_opponents_are_near_each_other_in_the_table() -> None:
    for count in (8, 64):
        assert all(two - one == 1 for one, two in arena_pairs(field_of(*range(1, count + 1)), 0, others_play=True))


def test_the_end_of_a_large_field_swaps_partners() -> None:
    """The last two have just met, so a pair above them changes partners."""
    pairs = arena_pairs(field_of(*range(1, 21), met=((19, 20),)), 0, others_play=True)
    assert len(pairs) == 10
    assert (19, 20) not in pairs
    pairs = arena_pairs(field_of(*range(1, 13), met=((11, 12), (10, 9))), 0, others_play=True)
    assert len(pairs) == 6
    assert (11, 12) not in pairs
    assert (9, 10) not in pairs


def test_512_entrants_are_paired_within_ten_milliseconds() -> None:
    rng = random.Random(1)
    numbers = list(range(1, 513))
    rng.shuffle(numbers)
    field = field_of(*range(1, 513), met=tuple(zip(numbers[::2], numbers[1::2], strict=True)))
    times_s = []
    for _ in range(5):
        began_s = time.perf_counter()
        assert len(arena_pairs(field, 0, others_play=True)) == 256
        times_s.append(time.perf_counter() - began_s)
    assert min(times_s) < 0.010


# --- round robin ------------------------------------------------------------------------------------------------------


def rounds_of(entrants: list[int]) -> list[list[tuple[int, int]]]:
    order = [*entrants, 0] if len(entrants) % 2 else entrants
    rounds = [[(order[x], order[o]) for x, o in circle(len(order), round)] for round in range(len(order) - 1)]
    return [[pair for pair in pairs if 0 not in pair] for pairs in rounds]


@pytest.mark.parametrize("count", range(3, 41))
def test_each_two_meet_once_and_have_x_as_often_as_o(count: int) -> None:
    rounds = rounds_of(list(range(1, count + 1)))
    pairs = [pair for round in rounds for pair in round]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == count * (count - 1) // 2
    for round in rounds:
        assert len({number for pair in round for number in pair}) == count // 2 * 2
    x, o = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    assert all(abs(x[number] - o[number]) <= 1 for number in range(1, count + 1))


@given(st.integers(1, 20), st.booleans(), st.integers(0, 1 << 32))
def test_the_circle_keeps_the_pairs_of_its_first_round(count: int, odd: bool, seed: int) -> None:
    numbers = list(range(1, 2 * count + 1))
    random.Random(seed).shuffle(numbers)
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    order = around(pairs, 2 * count + 1 if odd else None, 0)
    first = [(order[x], order[o]) for x, o in circle(len(order), 0)]
    assert sorted(pair for pair in first if 0 not in pair) == sorted(pairs)
    assert len(order) % 2 == 0
    assert set(order) - {0} == set(range(1, 2 * count + 1 + odd))


# --- knockout ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", SIZES)
def test_a_bracket_gives_byes_to_the_first_seeds(count: int) -> None:
    slots = bracket(list(range(1, count + 1)), 0)
    size = len(slots)
    assert size == 1 << (count - 1).bit_length()
    assert set(slots) - {0} == set(range(1, count + 1))
    byes = [one for one, two in zip(slots[::2], slots[1::2], strict=True) if two == 0]
    assert sorted(byes) == list(range(1, size - count + 1))
    # If every better seed wins, the best two meet in the last round, the best four in the one before it, and so on.
    while len(slots) > 1:
        slots = [min(one, two) if two else one for one, two in zip(slots[::2], slots[1::2], strict=True)]
        assert sorted(slots) == list(range(1, len(slots) + 1))
