"""The swap rule, and what it means for clocks, takebacks and the next game."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from noughts.room.clock import DaysClock, FischerClock
from noughts.room.commands import EngineSwapped, GiveTime, Noticed, Swap
from noughts.room.events import Ended, Started, Swapped
from noughts.room.seat import holder
from noughts.room.timers import untold_turn_ms
from noughts.rules.by_mark import ByMark
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    RoomPlay,
    against_engine,
    answer,
    move,
    offer,
    pair,
    resign,
    room_of,
    seat_engine,
    seat_of,
)


def opened(**fields: Any) -> RoomPlay:
    """Ada has opened a game with the swap rule."""
    play = pair(swap=True, **fields)
    play.moves("b2")
    return play


def sides(play: RoomPlay) -> tuple[str | None, str | None]:
    """Return the holders of X and O."""
    return holder(play.room.seats.X), holder(play.room.seats.O)


def test_o_takes_the_side_of_x_after_the_first_move() -> None:
    """The mark stays X's, and the player who made it is to move as O."""
    play = opened()
    play.now_ms += 5_000
    assert play.ask(BOB, Swap("s", 1, game=1)) == (Swapped("O"),)
    assert sides(play) == ("p_bob", "p_ada")
    assert (play.names, play.game.turn, play.game.by) == (("b2",), "O", ("p_ada",))
    assert play.game.turn_since_ms == play.now_ms
    assert play.game.swapped
    play.ask(ADA, move(1, "a1"))
    play.ask(BOB, move(2, "a2"))


def test_each_player_keeps_the_own_time() -> None:
    """What was given to a player before the swap stays with that player."""
    play = opened(clock=FischerClock(60_000, 0))
    play.ask(ADA, GiveTime("g"))
    play.ask(BOB, Swap("s", 1))
    assert play.left_ms == (75_000, 60_000)
    assert (play.game.gifts.X, play.game.gifts.O) == (0, 1)  # Ada has made it


def test_the_first_code_that_rejects_a_swap() -> None:
    """Stale comes before the wrong side, and that before a room without the rule."""
    play = opened()
    assert play.code(CAT, Swap("s", 1)) == "not_seated"
    assert play.code(BOB, Swap("s", 1, game=2)) == "stale"
    assert play.code(BOB, Swap("s", 0)) == "stale"
    assert play.code(BOB, Swap("s", 2)) == "stale"
    assert play.code(ADA, Swap("s", 1)) == "not_your_turn"
    play.moves("a1")
    assert play.code(BOB, Swap("s", 1)) == "stale"
    assert play.code(BOB, Swap("s", 2)) == "stale"
    play.ask(BOB, resign())
    assert play.code(BOB, Swap("s", 2)) == "game_over"
    later = opened()
    later.room = replace(later.room, game=replace(later.game, from_ply=1))
    assert later.code(BOB, Swap("s", 1)) == "forbidden"
    without = pair()
    assert without.code(BOB, Swap("s", 0)) == "stale"
    without.moves("b2")
    assert without.code(BOB, Swap("s", 1)) == "forbidden"
    assert without.code(ADA, Swap("s", 1)) == "not_your_turn"
    assert RoomPlay(room_of(seat_of(ADA), None, swap=True)).code(ADA, Swap("s", 1)) == "not_playing"


def test_a_game_is_swapped_once() -> None:
    """The player who now holds O cannot swap back."""
    play = opened()
    play.ask(BOB, Swap("s", 1))
    assert play.code(ADA, Swap("s", 1)) == "forbidden"
    assert play.code(BOB, Swap("s", 1)) == "not_your_turn"


def test_no_takeback_goes_back_across_a_swap() -> None:
    """The move that was swapped for stays."""
    play = opened()
    play.ask(BOB, Swap("s", 1))
    assert play.code(ADA, offer("takeback")) == "forbidden"
    assert play.code(BOB, offer("takeback")) == "forbidden"
    play.moves("a1")
    assert play.code(BOB, offer("takeback")) == "forbidden"
    play.ask(ADA, offer("takeback"))
    play.ask(BOB, answer("takeback", True))
    assert (play.names, play.game.turn) == (("b2",), "O")


def test_what_was_declined_stays_declined_for_the_same_player() -> None:
    """And a player keeps what is left of the lag that is given back."""
    play = opened(clock=FischerClock(60_000, 0))
    play.room = replace(play.room, game=replace(play.game, lag_quota_ms=ByMark(1, 2)))
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
    before = play.code(ADA, offer("draw"))
    play.ask(BOB, Swap("s", 1))
    assert play.code(ADA, offer("draw")) == before
    assert play.game.lag_quota_ms == ByMark(2, 1)
    play.ask(BOB, offer("draw"))


def test_o_may_swap_again_after_a_takeback_that_leads_to_ply_1() -> None:
    """The players have not swapped in this game yet."""
    play = opened()
    play.moves("a1")
    play.ask(BOB, offer("takeback"))
    play.ask(ADA, answer("takeback", True))
    play.ask(BOB, Swap("s", 1))
    assert sides(play) == ("p_bob", "p_ada")


def test_marks_are_exchanged_for_the_next_game_from_the_start_of_this_one() -> None:
    """Who had X at the start has O in the next game, swapped or not."""
    play = opened()
    play.ask(BOB, Swap("s", 1))
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    assert sides(play) == ("p_bob", "p_ada")
    play.ask(ADA, resign())
    play.ask(ADA, offer("rematch"))
    assert play.ask(BOB, offer("rematch"))[-1] == Started(3)
    assert sides(play) == ("p_ada", "p_bob")


def test_the_win_belongs_to_the_player_who_took_the_side() -> None:
    """X wins the game, and Bob, who swapped, has the point."""
    play = opened()
    play.ask(BOB, Swap("s", 1))
    play.moves("a1", "a2", "b1", "c2")
    assert play.outcome() == ("X", "line")
    assert play.wins == {"p_ada": 0, "p_bob": 1}


def test_a_swap_that_is_raced_by_a_resignation_comes_too_late() -> None:
    """And a resignation after a swap is that of the side that one has then."""
    play = opened()
    play.ask(ADA, resign())
    assert play.code(BOB, Swap("s", 1)) == "game_over"
    play = opened()
    play.ask(BOB, Swap("s", 1))
    assert play.ask(ADA, resign()) == (Ended(1, "X", "resignation"),)


def test_a_flag_that_falls_while_o_thinks_ends_the_game() -> None:
    """A first move that does not come in time aborts the game, and nothing can be swapped any more."""
    play = opened(clock=FischerClock(60_000, 0))
    play.now_ms += 30_000
    assert play.code(BOB, Swap("s", 1)) == "game_over"


def test_a_swap_makes_another_turn_of_the_same_ply() -> None:
    """A notice that was on its way to O does not count as sent to the player who is to move after the swap."""
    play = opened(clock=DaysClock(3))
    play.ask(BOB, Swap("s", 1))
    assert play.rejection(Noticed(1, 1, 0)).code == "stale"
    assert untold_turn_ms(play.room, replace(play.policy, notices=True)) == play.game.turn_since_ms
    play.step(Noticed(1, 1, 1))
    assert untold_turn_ms(play.room, replace(play.policy, notices=True)) is None


def test_open_offers_lapse_with_a_swap() -> None:
    """They were made for other sides."""
    play = opened()
    play.ask(ADA, offer("draw"))
    play.ask(BOB, Swap("s", 1))
    assert play.room.offers == ()


def test_the_player_of_an_engine_held_seat_does_not_swap() -> None:
    """The player takes the seat back first."""
    play = pair(swap=True)
    play.disconnect(BOB)
    play.wait(30_000)
    play.moves("b2")
    play.ask(ADA, seat_engine("O"))
    play.connect(BOB)
    assert play.code(BOB, Swap("s", 1)) == "not_your_turn"


def test_the_engine_swaps_as_a_player_does() -> None:
    """Its command is stale once the room has gone on, and once a player holds the seat."""
    play = against_engine(swap=True)
    play.moves("b2")
    game = play.game
    swap = EngineSwapped(game.number, game.history.moves)
    assert play.rejection(EngineSwapped(game.number, ())).code == "stale"
    assert play.step(swap) == (Swapped("O"),)
    assert sides(play) == (None, "p_ada")
    assert play.rejection(swap).code == "stale"
    play = opened()
    assert play.rejection(EngineSwapped(1, play.game.history.moves)).code == "stale"
