"""How a game of a room begins, continues and ends: the clocks that are charged, takebacks, and the score."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.clock import ClockSetting, full_ms
from noughts.room.events import Started
from noughts.room.game_flow import MAX_SCORES, end_game, make_move, start_game, take_back
from noughts.room.room import Score
from noughts.room.seat import Person
from noughts.rules.by_mark import ByMark
from noughts.rules.outcome import Outcome
from tests.support.room_play import (
    ADA,
    BOB,
    FISCHER_60_2,
    MOVE_5S,
    T0,
    alone,
    answer,
    finished,
    new_room,
    offer,
    pair,
    playing,
    resign,
    room_of,
    seat_of,
    sit,
    stood_in,
)

# --- the start ---


@pytest.mark.parametrize("clock", [None, MOVE_5S, FISCHER_60_2])
def test_a_game_begins(clock: ClockSetting | None) -> None:
    """The next game begins with an empty board, the seats as they are, and the whole time for both."""
    room = room_of(seat_of(ADA), seat_of(BOB), clock=clock, games=4)
    transition = start_game(room, T0 + 7)
    game = transition.room.game
    assert game is not None
    assert transition.events == (Started(5),)
    assert (transition.room.games, game.number, game.history.ply) == (5, 5, 0)
    assert (game.started_ms, game.turn_since_ms) == (T0 + 7, T0 + 7)
    each_ms = 0 if clock is None else full_ms(clock)
    assert game.left_ms == ByMark(each_ms, each_ms)
    assert game.players == ByMark(seat_of(ADA), seat_of(BOB))


def test_a_game_needs_two_players() -> None:
    """A game cannot begin with an empty seat."""
    for room in (new_room(), room_of(None, seat_of(ADA))):
        with pytest.raises(ValueError, match="two held seats"):
            start_game(room, T0)


# --- faults of the caller ---


def test_ending_and_taking_back_need_a_game() -> None:
    """Ending a game and taking a move back need a game that is on."""
    for room in (new_room(), finished().room):
        with pytest.raises(ValueError, match="no game"):
            end_game(room, Outcome(None, "agreement"), T0)
    with pytest.raises(ValueError, match="no game"):
        take_back(new_room(), "X", alone().moment)


def test_a_move_needs_a_player() -> None:
    """A move cannot be made for an empty seat."""
    play = pair()
    with pytest.raises(ValueError, match="empty seat"):
        make_move(replace(play.room, seats=ByMark(None, seat_of(BOB))), play.game, 0, play.moment)


# --- the clock ---


@pytest.mark.parametrize("clock", [MOVE_5S, FISCHER_60_2])
def test_first_moves_are_off_the_clock(clock: ClockSetting) -> None:
    """The first move of each side costs no time and brings no increment."""
    play = pair(clock=clock)
    for cell in ("b2", "a1"):
        play.wait(29_999)
        play.moves(cell)
        assert play.left_ms == (full_ms(clock), full_ms(clock))


def test_a_fischer_clock_in_play() -> None:
    """A move costs its time and brings the increment."""
    play = playing(clock=FISCHER_60_2)
    play.wait(10_000)
    play.moves("c3")
    assert play.left_ms == (52_000, 60_000)
    play.wait(500)
    play.moves("a3")
    assert play.left_ms == (52_000, 61_500)


def test_a_resignation_charges_the_side_to_move() -> None:
    """A game that ends otherwise than by a move charges the side to move, also if the other side ended it."""
    play = playing(clock=FISCHER_60_2)
    play.wait(20_000)
    play.ask(BOB, resign())
    assert play.left_ms == (40_000, 60_000)


def test_a_fallen_flag_shows_nothing_left() -> None:
    """The side whose time is over has none left; its lag is not shown as time."""
    play = playing(clock=FISCHER_60_2)
    play.lag_ms = {ADA.player: 300}
    play.wait(60_300)
    assert play.outcome() == ("O", "timeout")
    assert play.left_ms == (0, 60_000)


def test_a_takeback_charges_the_time_since_the_move() -> None:
    """The side to move pays for the time until the takeback, less its lag. A move clock and a first move cost nothing."""
    play = playing(clock=FISCHER_60_2)
    play.wait(10_000)
    play.moves("c3")
    play.lag_ms = {BOB.player: 400}
    play.wait(3_000)
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", True))
    assert play.left_ms == (52_000, 57_400)
    assert play.game.turn_since_ms == play.now_ms

    for play, each_ms in ((playing(clock=MOVE_5S), 5_000), (pair(clock=FISCHER_60_2), 60_000)):
        play.wait(3_000)
        play.moves("c3")
        play.wait(3_000)
        play.ask(ADA, offer("takeback"))
        play.ask(BOB, answer("takeback", True))
        assert play.left_ms == (each_ms, each_ms)


# --- takebacks ---


@pytest.mark.parametrize(
    ("moves", "person", "after"),
    [
        (("b2",), ADA, ()),
        (("b2", "a1"), ADA, ()),
        (("b2", "a1"), BOB, ("b2",)),
        (("b2", "a1", "c3"), ADA, ("b2", "a1")),
        (("b2", "a1", "c3"), BOB, ("b2",)),
    ],
)
def test_where_a_takeback_leads(moves: tuple[str, ...], person: Person, after: tuple[str, ...]) -> None:
    """A takeback returns to before the last move of the side that offered it."""
    play = pair()
    play.moves(*moves)
    play.ask(person, offer("takeback"))
    play.ask(BOB if person == ADA else ADA, answer("takeback", True))
    assert play.names == after
    assert play.event_types == ["took_back"]
    assert len(play.game.by) == len(play.game.at_ms) == len(after)
    assert play.game.turn == ("X" if person == ADA else "O")


# --- the end and the score ---


def test_an_aborted_game_does_not_count() -> None:
    """A game without both first moves is aborted, counts nowhere, and the series continues."""
    for moves in ((), ("b2",)):
        play = pair(clock=MOVE_5S)
        play.moves(*moves)
        play.wait(30_000)
        assert play.outcome() == (None, "aborted")
        assert play.room.score == ()
        assert play.room.draws == 0
        assert play.left_ms == (5_000, 5_000)
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    assert play.game.number == 2


def test_the_score_has_a_limit() -> None:
    """Beyond the limit, the player whose last game is longest ago is forgotten."""
    score = tuple(Score(f"p_{n}", n) for n in range(MAX_SCORES))
    play = pair(score=(*score[1:], Score("p_ada", 7)))
    play.ask(ADA, resign())
    assert len(play.room.score) == MAX_SCORES
    assert play.room.score[-2:] == (Score("p_ada", 7), Score("p_bob", 1))
    assert play.room.score[0] == Score("p_2", 2)


def test_a_game_with_a_stand_in_does_not_count() -> None:
    """Each move is recorded under its mover's id, and a game in which an engine stood in leaves the score alone."""
    play = stood_in("casual")
    play.moves("a1", "b2")
    play.connect(BOB)
    play.ask(BOB, sit("O"))
    play.moves("a2", "b3", "a3")
    assert play.game.by == ("p_ada", "engine:casual", "p_ada", "p_bob", "p_ada")
    assert play.outcome() == ("X", "line")
    assert play.room.score == ()
    assert play.room.draws == 0


def test_the_game_after_a_stand_in() -> None:
    """The next game counts again once the player is back, and does not while the engine still holds the seat."""
    play = stood_in()
    play.connect(BOB)
    play.ask(BOB, sit("O"))
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    assert not play.game.stand_in
    play.ask(ADA, resign())
    assert play.wins == {"p_bob": 1, "p_ada": 0}
