"""What falls due in a tournament: pairing, the bell, its end, its expiry."""

from __future__ import annotations

import itertools

from noughts.room.downtime import Downtime
from noughts.tournament.commands import Leave, Stop, Wake
from noughts.tournament.orders import orders
from noughts.tournament.pairing import PATIENCE_MS
from noughts.tournament.timers import CLOSING_MS, PAIR_MS, stored_wake_at_ms, wake_at_ms
from noughts.tournament.transition import DAY_MS
from tests.support.tournament_play import POLICY, T0, Play

MINUTE_MS = 60_000


def two_players() -> Play:
    play = Play("arena", 2)
    play.start()
    return play


def test_two_who_are_free_are_paired_within_a_second() -> None:
    play = Play("arena", 4)
    play.start()
    one, two = play.value.matches
    play.play(one, None, None)
    play.wait(100)
    play.play(two, None, None)
    play.wait(PAIR_MS)
    assert len(play.value.matches) == 2
    assert not {frozenset(match.sides) for match in play.value.matches} & {frozenset(one.sides), frozenset(two.sides)}


def test_an_arena_whose_network_has_its_matches_rings_its_bell() -> None:
    play = Play("arena", 4)
    play.start()
    play.full = True
    one, two = play.value.matches
    play.play(one, None, None)
    assert not play.value.rung
    play.wait(PAIR_MS)
    assert (play.value.rung, play.value.matches) == (True, (two,))
    play.play(two, None, None)
    assert (play.value.state, play.value.match_count) == ("over", 2)
    assert play.value.bell_ms is not None
    assert play.value.bell_ms <= play.now_ms


def test_two_who_have_just_met_wait_ten_seconds_while_others_play() -> None:
    play = Play("arena", 4)
    play.start()
    one, two = play.value.matches
    play.play(one, None, None)
    play.wait(PATIENCE_MS - 1)
    assert play.value.matches == (two,) or len(play.value.matches) == 1
    play.wait(1)
    assert {frozenset(match.sides) for match in play.value.matches} == {frozenset(one.sides), frozenset(two.sides)}


def test_with_three_entrants_nobody_sits_out_twice_running() -> None:
    play = Play("arena", 3, seed=5, minutes=1)
    play.start()
    out: list[int] = []
    while play.value.state == "running":
        if play.value.matches:
            match = play.value.matches[0]
            out.append(({1, 2, 3} - set(match.sides)).pop())
            play.play(match, play.rng.choice((*match.sides, None)), None)
        play.wait(400)
    assert len(out) > 50
    assert all(before != after for before, after in itertools.pairwise(out))


def test_after_the_bell_matches_are_played_out() -> None:
    play = two_players()
    match = play.value.matches[0]
    play.wait(10 * MINUTE_MS)
    assert play.value.rung
    assert play.state() == "running"
    play.play(match, match.first, match.first)
    assert play.state() == "over"
    assert play.value.entrant(match.first).points == 4
    assert play.value.over_ms == T0 + 10 * MINUTE_MS


def test_five_minutes_after_the_bell_games_are_ended() -> None:
    play = Play("arena", 6)
    play.start()
    one, two, three = play.value.matches
    play.end(one, one.first)
    play.wait(10 * MINUTE_MS + CLOSING_MS - 1)
    assert orders(play.value) == []
    play.wait(1)
    assert [(order.match.number, order.what, order.reason) for order in orders(play.value)] == [
        (number, "end", "bell") for number in (1, 2, 3)
    ]
    play.end(two, None, "bell")
    play.end(three, None, "aborted", ply=0)
    play.end(one, None, "bell")
    assert play.state() == "over"
    assert {number: record.points for number, record in play.records.items()} == {1: (3, 1), 2: (1, 1), 3: (0, 0)}
    assert play.value.entrant(three.first).games == play.value.entrant(three.first).absences == 0


def test_what_has_not_begun_is_dropped_five_minutes_after_the_bell() -> None:
    play = Play("arena", 4)
    play.start()
    one, two = play.value.matches
    make_rooms, play.make_rooms = play.make_rooms, lambda: None  # type: ignore[method-assign]
    play.end(one, one.first)
    play.play(two, None)
    make_rooms()
    play.end(two, None)
    play.wait(PATIENCE_MS)
    assert {match.stage for match in play.value.matches} == {"on", "room"}
    play.end(one, None)
    play.wait(PATIENCE_MS)
    play.wait(10 * MINUTE_MS + CLOSING_MS)
    assert play.state() == "over"
    assert {record.state for record in play.records.values()} == {"over", "annulled"}


def test_a_second_game_that_has_not_begun_is_dropped_after_the_bell() -> None:
    play = two_players()
    play.make_rooms = lambda: None  # type: ignore[method-assign]
    play.end(play.value.matches[0], 1)
    play.wait(10 * MINUTE_MS + CLOSING_MS)
    assert play.state() == "over"
    assert play.records[1].state == "over"
    assert play.value.entrant(1).points == 2


def test_stop_in_a_round_robin_ends_it_after_the_games_that_are_on() -> None:
    play = Play("round_robin", 4)
    play.start()
    one, two = play.value.matches
    play.end(one, one.first)
    play.host(Stop("1"))
    play.end(one, one.first)
    play.end(two, two.first)
    assert play.state() == "over"
    assert [len(play.records[number].games) for number in (1, 2)] == [2, 1]


def test_stop_in_rounds_drops_a_game_that_has_not_begun() -> None:
    play = Play("knockout", 2)
    play.start()
    play.make_rooms = lambda: None  # type: ignore[method-assign]
    play.end(play.value.matches[0], 2)
    play.host(Stop("1"))
    assert play.state() == "over"
    assert play.records[1].advances == 2


def test_stop_keeps_a_game_that_is_on() -> None:
    play = Play("round_robin", 2)
    play.start()
    play.host(Stop("1"))
    assert play.state() == "running"
    play.end(play.value.matches[0], None)
    assert play.state() == "over"


def test_downtime_moves_the_bell() -> None:
    play = two_players()
    bell_ms = play.value.bell_ms
    assert bell_ms is not None
    play.now_ms += 20 * MINUTE_MS
    play.downtimes = (Downtime(T0 + MINUTE_MS, T0 + 16 * MINUTE_MS),)
    play.tell(Wake())
    assert play.value.bell_ms == bell_ms + 15 * MINUTE_MS
    assert not play.value.rung
    play.tell(Wake())
    assert play.value.bell_ms == bell_ms + 15 * MINUTE_MS
    play.wait(5 * MINUTE_MS)
    assert play.value.rung


def test_a_tournament_expires() -> None:
    play = Play("arena", 2)
    assert wake_at_ms(play.value, POLICY) == T0 + DAY_MS
    play.wait(DAY_MS)
    assert play.value.closed
    play = Play("arena", 2)
    play.host(Stop("1"))
    assert stored_wake_at_ms(play.value, POLICY) == play.now_ms + 30 * DAY_MS
    play.wait(30 * DAY_MS - 1)
    assert not play.value.closed
    play.wait(1)
    assert play.value.closed


def test_a_running_tournament_is_always_due_in_the_store() -> None:
    play = two_players()
    assert stored_wake_at_ms(play.value, POLICY) == T0


def test_nothing_changes_when_nothing_is_due() -> None:
    play = two_players()
    before = play.value
    play.tell(Wake())
    assert play.value is before
    play.entrant(1, Leave("1"))
    assert [(order.what, order.reason) for order in orders(play.value)] == [("end", "resignation")]
