"""Round robins and knockouts, with entrants who come late, leave, or never come."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.tournament.commands import Leave, Pause, Start, Unpause
from noughts.tournament.match_flow import SAME_TIME_MS
from noughts.tournament.timers import ROUND_MS
from tests.support.tournament_play import Play

# --- round robin ------------------------------------------------------------------------------------------------------


@settings(max_examples=6, deadline=None)
@given(st.integers(2, 24), st.integers(0, 6), st.integers(0, 1 << 32), st.booleans())
def test_each_two_meet_once_also_with_late_entrants(count: int, late: int, seed: int, played: bool) -> None:
    late = min(late, 24 - count)
    play = Play("round_robin", count, seed=seed, games=1)
    play.start()
    if played:
        play.play(play.value.matches[0], 1)
    for number in range(count + 1, count + late + 1):
        play.join(number)
        play.make_rooms()
    total = count + late
    play.play_all()
    matches = list(play.records.values())
    assert len({frozenset(match.sides) for match in matches}) == len(matches) == total * (total - 1) // 2
    assert play.value.rounds == play.value.round == total - 1 + total % 2
    for round in range(1, play.value.round + 1):
        sides = [side for match in matches if match.round == round for side in match.sides]
        assert len(sides) == len(set(sides)) == total // 2 * 2
    x, o = Counter(match.first for match in matches), Counter(match.second for match in matches)
    assert all(abs(x[number] - o[number]) <= 1 for number in range(1, total + 1))


def test_a_round_begins_when_the_one_before_it_is_over() -> None:
    play = Play("round_robin", 4, games=1)
    play.start()
    assert (play.round(), play.value.rounds) == (1, None)
    one, two = play.value.matches
    play.end(one, None)
    play.wait(10 * ROUND_MS)
    assert play.round() == 1
    play.end(two, None)
    play.wait(ROUND_MS - 1)
    assert play.round() == 1
    play.wait(1)
    assert (play.round(), play.value.rounds, len(play.value.matches)) == (2, 3, 2)


def test_late_entrants_come_until_the_second_round() -> None:
    play = Play("round_robin", 2)
    play.start()
    play.join(3)
    assert play.on() == 1
    play.join(4)
    play.make_rooms()
    assert play.on() == 2
    for match in play.value.matches:
        play.play(match, None, None)
    play.wait(ROUND_MS)
    assert play.round() == 2
    play.rejects("tournament_started", lambda: play.join(5))


def test_an_entrant_who_has_left_forfeits_later_matches() -> None:
    play = Play("round_robin", 3)
    play.start()
    match = play.value.matches[0]
    play.play(match, None, None)
    rests = ({1, 2, 3} - set(match.sides)).pop()
    play.entrant(match.first, Leave("1"))
    play.wait(ROUND_MS)
    play.entrant(match.first, Unpause("2"))
    play.play_all()
    forfeits = [record for record in play.records.values() if record.state == "forfeited"]
    assert [sorted(record.points) for record in forfeits] in ([], [[0, 4]])
    assert play.value.entrant(rests).matches == 2


def test_a_single_entrant_of_the_first_round_may_leave_it() -> None:
    play = Play("round_robin", 2)
    play.start()
    play.join(3)
    play.entrant(3, Leave("1"))
    play.play(play.value.matches[0], None, None)
    play.wait(ROUND_MS)
    assert play.state() == "over"
    play = Play("round_robin", 4)
    play.entrant(4, Leave("1"))
    play.start()
    for match in play.value.matches:
        play.play(match, None, None)
    play.wait(ROUND_MS)
    play.rejects("forbidden", lambda: play.entrant(4, Unpause("2")))


@pytest.mark.parametrize("mode", ["round_robin", "knockout"])
def test_both_sides_may_be_gone(mode: str) -> None:
    play = Play(mode, 2)
    play.start()
    match = play.value.matches[0]
    play.entrant(1, Leave("1"))
    play.entrant(2, Leave("2"))
    play.end(match, None, "aborted", ply=0)
    assert play.records[1].state == "forfeited"
    assert play.records[1].points == (0, 0)
    assert play.records[1].decided_by == ("lot" if mode == "knockout" else None)
    play.play_all()


# --- no-shows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ply", [0, 1])
def test_one_who_does_not_come_forfeits_the_match(ply: int) -> None:
    play = Play("round_robin", 2)
    play.start()
    match = play.value.matches[0]
    absent = match.sides[ply]
    play.end(match, None, "aborted", ply=ply)
    record = play.records[1]
    assert record.state == "forfeited"
    assert record.points[record.sides.index(record.other(absent))] == 4
    assert play.value.entrant(record.other(absent)).games == 0
    assert (play.value.entrant(absent).absences, play.value.entrant(absent).standing) == (1, "here")


def test_one_who_does_not_come_twice_is_out() -> None:
    play = Play("round_robin", 4)
    play.start()
    for _ in range(2):
        for match in play.value.matches:
            if 1 in match.sides:
                play.end(match, None, "aborted", ply=match.sides.index(1))
            else:
                play.play(match, None, None)
        play.wait(ROUND_MS)
    assert play.value.entrant(1).standing == "out"
    forfeits = [record for record in play.records.values() if 1 in record.sides]
    assert [record.state for record in forfeits] == ["forfeited"] * 3
    play.rejects("forbidden", lambda: play.entrant(1, Unpause("1")))


def test_one_who_does_not_come_to_an_arena_is_paused() -> None:
    play = Play("arena", 2)
    play.start()
    match = play.value.matches[0]
    play.end(match, None, "aborted", ply=0)
    assert play.value.entrant(match.first).standing == "paused"
    assert play.value.entrant(match.second).points == 0
    play.wait(30_000)
    assert play.on() == 0
    play.entrant(match.first, Unpause("1"))
    play.wait(400)
    assert play.on() == 1
    play.entrant(match.first, Pause("2"))
    again = play.value.matches[0]
    play.end(again, None, "aborted", ply=again.sides.index(match.first))
    assert play.value.entrant(match.first).standing == "paused"


def test_a_second_game_that_is_not_begun_gives_half_of_the_points() -> None:
    play = Play("knockout", 2)
    play.start()
    match = play.value.matches[0]
    play.end(match, match.first)
    play.end(match, None, "aborted", ply=1)
    assert play.records[1].points == (2, 2)
    assert play.records[1].advances == match.second


def test_resigning_before_the_first_move_again_gives_nothing_in_an_arena() -> None:
    play = Play("arena", 2)
    play.start()
    for _ in range(2):
        match = play.value.matches[0]
        play.end(match, 1, "resignation", ply=0 if match.first == 2 else 1)
        match = play.value.matches[0]
        play.end(match, 1, "resignation", ply=0 if match.x == 2 else 1)
        play.wait(400)
    assert play.value.entrant(2).quits == 4
    assert play.value.entrant(1).points == 2
    assert [game.counts for record in play.records.values() for game in record.games] == [True, False, False, False]
    match = play.value.matches[0]
    play.end(match, 1, "resignation", ply=4)
    assert play.value.entrant(1).points == 4


# --- knockout ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 5, 8, 13, 33, 64])
@pytest.mark.parametrize("absences", [False, True])
def test_a_knockout_ends_with_one_winner(count: int, absences: bool) -> None:
    play = Play("knockout", count, seed=count)
    play.start()
    assert play.value.rounds == (count - 1).bit_length()
    while play.state() == "running":
        for match in play.value.matches:
            if absences and play.rng.random() < 0.3:
                play.end(match, None, "aborted", ply=play.rng.choice((0, 1)))
            else:
                play.play(match, *play.rng.choices((*match.sides, None), k=2))
        play.wait(ROUND_MS)
    ranks = play.ranks()
    assert [rank for rank, _ in ranks].count(1) == 1
    assert play.value.entrant(ranks[0][1]).standing == "here"
    byes = [record for record in play.records.values() if not record.second]
    assert len(byes) == (1 << (count - 1).bit_length()) - count
    assert all(record.state == "over" and record.games == () for record in byes)


def test_seeds_are_in_the_order_of_the_names() -> None:
    names = ("Ann", "Bob", "Cat", "Dan", "Eve")
    play = Play("knockout", entry="names", names=names)
    for number, name in enumerate(reversed(names), 1):
        play.join(number, name)
    play.start()
    assert [play.value.entrant(number).name if number else None for number in play.value.slots] == [
        "Ann", None, "Dan", "Eve", "Bob", None, "Cat", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first_ms", "second_ms", "decided_by"),
    [
        (5_000, 5_001 + SAME_TIME_MS // 2, "time"),
        (9_000, 5_000, "time"),
        (5_000, 5_000 + SAME_TIME_MS // 2, "lot"),
    ],
)
def test_less_time_to_think_wins_a_tie(first_ms: int, second_ms: int, decided_by: str) -> None:
    winners = set()
    for seed in range(20):
        play = Play("knockout", 2, seed=seed)
        play.start()
        match = play.value.matches[0]
        play.end(match, match.first, thought_ms=(first_ms, second_ms))
        play.end(match, match.second, thought_ms=(second_ms, first_ms))
        assert play.records[1].decided_by == decided_by
        winners.add(play.records[1].sides.index(play.records[1].advances))
        play.wait(ROUND_MS)
        assert play.state() == "over"
    assert winners == ({0, 1} if decided_by == "lot" else {int(second_ms < first_ms)})


def test_a_knockout_takes_nobody_after_its_start() -> None:
    play = Play("knockout", 3)
    play.join(4)
    play.entrant(4, Leave("1"))
    play.start()
    play.rejects("tournament_started", lambda: play.join(5))
    play.rejects("tournament_started", lambda: play.join(4))
    play.rejects("forbidden", lambda: play.entrant(4, Unpause("2")))


def test_one_who_left_a_knockout_comes_back_before_the_next_match() -> None:
    play = Play("knockout", 4)
    play.start()
    one, two = play.value.matches
    play.play(one, one.first, one.first)
    play.entrant(one.first, Leave("1"))
    play.entrant(one.first, Unpause("2"))
    assert play.value.entrant(one.first).standing == "here"
    play.play(two, two.first, two.first)
    play.entrant(two.first, Leave("3"))
    play.wait(ROUND_MS)
    assert play.records[3].advances == one.first
    play.rejects("forbidden", lambda: play.entrant(two.first, Unpause("4")))


def test_start_needs_two_who_are_here() -> None:
    play = Play("knockout", 2)
    play.entrant(1, Pause("1"))
    play.rejects("forbidden", play.start)
    play.entrant(1, Unpause("2"))
    play.host(Start("1"))
    assert play.state() == "running"
