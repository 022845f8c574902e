"""A series: games until one side has won enough of them."""

from __future__ import annotations

from noughts.room.clock import MoveClock
from noughts.room.commands import Set
from noughts.room.events import Ended
from noughts.room.room import Series
from noughts.room.seat import Person
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    RoomPlay,
    answer,
    engines,
    offer,
    pair,
    playing,
    resign,
    room_of,
    seat_engine,
    seat_of,
    sit,
    stand,
)


def lose(play: RoomPlay, loser: Person) -> Ended:
    """End the game that is on by a resignation, and return the event of its end."""
    [ended] = play.ask(loser, resign())
    assert isinstance(ended, Ended)
    return ended


def rematch(play: RoomPlay) -> None:
    """Begin the next game."""
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))


def test_the_side_that_has_won_enough_games_wins_the_series() -> None:
    """The last game's end says so, and the view knows the winner until the next series begins."""
    play = pair(first_to=2)
    play.ask(BOB, resign())
    rematch(play)
    play.ask(ADA, resign())
    assert play.room.series == Series(("p_ada", "p_bob"), games=2)
    rematch(play)
    assert lose(play, BOB).series is True
    assert play.room.series == Series(("p_ada", "p_bob"), games=3, over=True, winner="p_ada")
    assert play.wins == {"p_ada": 2, "p_bob": 1}


def test_an_end_within_a_series_does_not_say_that_it_is_over() -> None:
    """Neither does the end of a game in a room without series."""
    assert lose(pair(first_to=2), BOB).series is not True
    assert lose(pair(), BOB).series is not True


def test_the_game_after_a_series_begins_another_one_with_an_empty_score() -> None:
    """Score, draws and games count from zero."""
    play = pair(first_to=1)
    play.ask(BOB, resign())
    rematch(play)
    assert play.room.series == Series(("p_ada", "p_bob"))
    assert (play.wins, play.room.draws) == ({}, 0)


def test_a_series_that_nobody_decides_ends_after_three_games_for_each_win() -> None:
    """With as many wins on both sides, nobody has won it."""
    play = pair(first_to=1)
    for _ in range(3):
        play.ask(ADA, offer("draw"))
        play.ask(BOB, offer("draw"))
        series = play.room.series
        if series is not None and not series.over:
            rematch(play)
    assert play.room.series == Series(("p_ada", "p_bob"), games=3, over=True, winner=None)
    assert play.room.draws == 3


def test_the_side_with_more_wins_has_a_series_that_ends_by_its_length() -> None:
    """Six games of a series to two: one win and five draws."""
    play = pair(first_to=2)
    play.ask(BOB, resign())
    for _ in range(5):
        rematch(play)
        play.ask(ADA, offer("draw"))
        play.ask(BOB, offer("draw"))
    assert play.room.series == Series(("p_ada", "p_bob"), games=6, over=True, winner="p_ada")


def test_the_setting_begins_a_series_with_the_next_game() -> None:
    """Until then the score stays as it was."""
    play = playing()
    play.ask(BOB, resign())
    play.ask(ADA, Set("s", first_to=3))
    assert (play.room.first_to, play.room.series, play.wins) == (3, None, {"p_ada": 1, "p_bob": 0})
    rematch(play)
    assert (play.room.series, play.wins) == (Series(("p_ada", "p_bob")), {})


def test_no_takeback_annuls_the_game_that_decides_a_series() -> None:
    """Before its end a move is taken back as ever, and after it the series stays won."""
    play = pair(first_to=1)
    play.moves("a1", "a2", "b1", "b2")
    play.ask(BOB, offer("takeback"))
    play.ask(ADA, answer("takeback", True))
    play.moves("b2", "c1")
    series = play.room.series
    assert series == Series(("p_ada", "p_bob"), games=1, over=True, winner="p_ada")
    for player in (ADA, BOB):
        assert play.code(player, offer("takeback")) == "game_over"
        assert play.code(player, answer("takeback", True)) == "game_over"
    assert play.room.series == series


def test_null_ends_the_series() -> None:
    """The score goes on from where it is."""
    play = pair(first_to=3)
    play.ask(BOB, resign())
    play.ask(ADA, Set("s", first_to=None))
    rematch(play)
    assert (play.room.first_to, play.room.series, play.wins) == (None, None, {"p_ada": 1, "p_bob": 0})


def test_another_holder_of_a_seat_begins_a_series() -> None:
    """The games against the player before do not count in it."""
    play = pair(first_to=3)
    play.ask(BOB, resign())
    play.ask(BOB, stand())
    play.ask(CAT, sit("O", INVITE))
    assert (play.room.series, play.wins) == (Series(("p_ada", "p_cat")), {})


def test_a_stand_in_changes_no_holder_and_its_game_counts_in_nothing() -> None:
    """The series goes on when the player is back."""
    play = pair(first_to=3)
    play.ask(BOB, resign())
    rematch(play)
    play.disconnect(BOB)
    play.wait(30_000)
    play.ask(ADA, seat_engine("X"))
    play.ask(ADA, resign())
    assert play.room.series == Series(("p_ada", "p_bob"), games=1)
    play.connect(BOB)
    play.ask(BOB, sit("X"))
    rematch(play)
    assert play.room.series == Series(("p_ada", "p_bob"), games=1)


def test_an_engine_wins_a_series_under_its_level() -> None:
    """Its side is named as in the score."""
    play = RoomPlay(room_of(seat_of(ADA), None, first_to=1))
    play.ask(ADA, seat_engine("O", "casual"))
    play.ask(ADA, resign())
    assert play.room.series == Series(("engine:casual", "p_ada"), games=1, over=True, winner="engine:casual")


def test_an_aborted_game_counts_in_nothing() -> None:
    """The series stands as before."""
    play = pair(first_to=2, clock=None)
    play.ask(BOB, resign())
    play.ask(ADA, Set("s", clock=MoveClock(5_000)))
    rematch(play)
    play.wait(31_000)
    assert play.outcome() == (None, "aborted")
    assert play.room.series == Series(("p_ada", "p_bob"), games=1)


def test_two_engines_play_no_series() -> None:
    """Neither do they play with the swap rule."""
    play = engines(owner=ADA.nameless)
    play.moves("a1", "a2", "b1", "b2", "c1")
    for command in (Set("s", first_to=2), Set("s", swap=True), Set("s", swap=False)):
        assert play.code(ADA, command) == "forbidden"


def test_an_open_rematch_lapses_with_another_setting() -> None:
    """It was offered for other games."""
    play = pair()
    play.ask(BOB, resign())
    play.ask(BOB, offer("rematch"))
    play.ask(ADA, Set("s", first_to=3))
    assert play.room.offers == ()
    play.ask(BOB, offer("rematch"))
    play.ask(ADA, Set("s", swap=True))
    assert play.room.offers == ()


def test_only_the_owner_sets_a_series_between_games() -> None:
    """As with every setting."""
    play = pair()
    assert play.code(ADA, Set("s", first_to=3)) == "forbidden"
    play.ask(BOB, resign())
    assert play.code(BOB, Set("s", first_to=3)) == "forbidden"
