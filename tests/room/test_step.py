"""The one state machine: the first code that rejects each command, and what a move does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import pytest

from noughts.room.commands import Chat, Close, Free, Mute, Request, RoomCommand, Set
from noughts.room.events import Ended, Moved
from noughts.room.seat import Person
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    MOVE_5S,
    RoomPlay,
    against_engine,
    alone,
    answer,
    bob_away,
    claim,
    finished,
    move,
    offer,
    pair,
    playing,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)


def closed() -> RoomPlay:
    """Ada has closed the room in mid-game."""
    play = playing()
    play.ask(ADA, Close("c"))
    return play


def flag_fallen() -> RoomPlay:
    """Ada's flag has fallen, and the room has not been woken yet."""
    play = playing(clock=MOVE_5S)
    play.now_ms += 5_000
    return play


def moved() -> RoomPlay:
    """Ada has made the first move."""
    play = pair()
    play.moves("b2")
    return play


def draw_offered() -> RoomPlay:
    """Ada has offered a draw."""
    play = playing()
    play.ask(ADA, offer("draw"))
    return play


def bob_almost_away() -> RoomPlay:
    """Bob has been away for a millisecond less than the grace."""
    return bob_away(29_999)


def declined() -> RoomPlay:
    """Bob has just declined Ada's draw."""
    play = draw_offered()
    play.ask(BOB, answer("draw", False))
    return play


def claimed() -> RoomPlay:
    """Ada has claimed the win."""
    play = bob_away()
    play.ask(ADA, claim("win"))
    return play


def bob_back() -> RoomPlay:
    """Bob was away for the whole grace and is back. The room has not been woken since."""
    play = bob_away()
    play.away_since[BOB.player] = None
    return play


def rematch_lapsed() -> RoomPlay:
    """Bob has offered a rematch and then given his seat up."""
    play = finished()
    play.ask(BOB, offer("rematch"))
    play.ask(BOB, stand())
    return play


def stood_in_after_a_game() -> RoomPlay:
    """The engine still holds Bob's seat after the game."""
    play = stood_in()
    play.ask(ADA, resign())
    return play


def bob_away_after_a_game() -> RoomPlay:
    """Bob has left after a game."""
    play = finished()
    play.disconnect(BOB)
    return play


# Each row: the room, the person, the command, and the first code that applies. The rows of a command stand in the order of
# precedence. Each but the last of a kind also has a reason for a later code, so that a row fails when the order changes.
REJECTIONS: Final[list[tuple[Callable[[], RoomPlay], Person, RoomCommand, str]]] = [
    # move: not_seated, not_playing or game_over, stale, not_your_turn, illegal_move
    (alone, CAT, move(7, "z9", game=9), "not_seated"),
    (playing, CAT, move(7, "z9", game=9), "not_seated"),
    (alone, ADA, move(7, "z9", game=9), "not_playing"),
    (finished, BOB, move(7, "z9", game=9), "game_over"),
    (flag_fallen, ADA, move(2, "c3"), "game_over"),
    (flag_fallen, BOB, move(9, "z9", game=9), "game_over"),
    (playing, BOB, move(2, "z9", game=2), "stale"),
    (playing, BOB, move(1, "z9"), "stale"),
    (playing, BOB, move(3, "z9", game=1), "stale"),
    (playing, ADA, move(0, "b2"), "stale"),
    (playing, BOB, move(2, "z9", game=1), "not_your_turn"),
    (playing, BOB, move(2, "c3"), "not_your_turn"),
    (stood_in, BOB, move(0, "z9"), "not_your_turn"),
    (playing, ADA, move(2, "b2"), "illegal_move"),
    (playing, ADA, move(2, "d1"), "illegal_move"),
    (playing, ADA, move(2, "A2"), "illegal_move"),
    (playing, ADA, move(2, "a2.1"), "illegal_move"),
    (playing, ADA, move(2, "a1000000"), "illegal_move"),
    # resign
    (playing, CAT, resign(9), "not_seated"),
    (alone, ADA, resign(9), "not_playing"),
    (finished, ADA, resign(9), "game_over"),
    (flag_fallen, BOB, resign(), "game_over"),
    (playing, ADA, resign(2), "stale"),
    # offer
    (playing, CAT, offer("draw", 9), "not_seated"),
    (playing, CAT, offer("rematch", 9), "not_seated"),
    (declined, ADA, offer("draw", 9), "rate_limited"),
    (declined, ADA, offer("draw"), "rate_limited"),
    (alone, ADA, offer("draw", 9), "not_playing"),
    (alone, ADA, offer("takeback"), "not_playing"),
    (finished, ADA, offer("draw", 9), "game_over"),
    (finished, ADA, offer("takeback"), "game_over"),
    (flag_fallen, ADA, offer("draw"), "game_over"),
    (playing, ADA, offer("draw", 2), "stale"),
    (playing, ADA, offer("rematch", 2), "stale"),
    (alone, ADA, offer("rematch", 1), "stale"),
    (finished, ADA, offer("rematch", 2), "stale"),
    (alone, ADA, offer("rematch"), "forbidden"),
    (playing, ADA, offer("rematch"), "forbidden"),
    (rematch_lapsed, ADA, offer("rematch"), "forbidden"),
    (pair, ADA, offer("takeback"), "forbidden"),
    (moved, BOB, offer("takeback"), "forbidden"),
    (draw_offered, ADA, offer("draw"), "forbidden"),
    (draw_offered, ADA, offer("takeback"), "forbidden"),
    # answer
    (finished, CAT, answer("rematch", True, 9), "not_seated"),
    (alone, ADA, answer("draw", True, 9), "not_playing"),
    (finished, ADA, answer("draw", True, 9), "game_over"),
    (playing, ADA, answer("draw", True, 2), "stale"),
    (finished, ADA, answer("rematch", True, 2), "stale"),
    (playing, ADA, answer("draw", True), "forbidden"),
    (playing, ADA, answer("takeback", False), "forbidden"),
    (finished, ADA, answer("rematch", False), "forbidden"),
    (draw_offered, ADA, answer("draw", True), "forbidden"),
    (draw_offered, BOB, answer("takeback", True), "forbidden"),
    (rematch_lapsed, ADA, answer("rematch", True), "forbidden"),
    # claim
    (bob_away, CAT, claim("win", 9), "not_seated"),
    (alone, ADA, claim("win", 9), "not_playing"),
    (finished, ADA, claim("win", 9), "game_over"),
    (bob_away, ADA, claim("win", 9), "stale"),
    (playing, ADA, claim("win"), "forbidden"),
    (bob_away, BOB, claim("win"), "forbidden"),
    (bob_back, ADA, claim("win"), "forbidden"),
    (stood_in, ADA, claim("win"), "forbidden"),
    # sit
    (playing, CAT, sit("O"), "seat_taken"),
    (playing, ADA, sit("X"), "seat_taken"),
    (playing, ADA, sit("O"), "seat_taken"),
    (against_engine, CAT, sit("O", INVITE), "seat_taken"),
    (stood_in, CAT, sit("O", INVITE), "seat_taken"),
    (stood_in_after_a_game, CAT, sit("O", INVITE), "seat_taken"),
    (alone, ADA, sit("O", INVITE), "forbidden"),
    (alone, BOB, sit("O"), "forbidden"),
    (alone, BOB, sit("O", "the-invitf"), "forbidden"),
    (alone, BOB, sit("O", ""), "forbidden"),
    # stand
    (playing, CAT, stand(), "not_seated"),
    (alone, CAT, stand(), "not_seated"),
    (playing, ADA, stand(), "forbidden"),
    # seat_engine
    (alone, CAT, seat_engine("X", "strongest"), "bad_message"),
    (alone, CAT, seat_engine("X"), "not_seated"),
    (bob_away, CAT, seat_engine("O"), "not_seated"),
    (alone, ADA, seat_engine("X"), "seat_taken"),
    (playing, ADA, seat_engine("O"), "seat_taken"),
    (playing, ADA, seat_engine("X"), "seat_taken"),
    (against_engine, ADA, seat_engine("O"), "seat_taken"),
    (stood_in, ADA, seat_engine("O"), "seat_taken"),
    (bob_away_after_a_game, ADA, seat_engine("O"), "seat_taken"),
    (bob_almost_away, ADA, seat_engine("O"), "seat_taken"),
    (bob_away, BOB, seat_engine("O"), "seat_taken"),
    (claimed, ADA, seat_engine("O"), "seat_taken"),
    # set
    (playing, CAT, Set("c", variant="chess"), "bad_message"),
    (finished, BOB, Set("c", variant="4x4"), "forbidden"),
    (finished, CAT, Set("c", spectator_chat="off"), "forbidden"),
    (playing, ADA, Set("c", visibility="public"), "forbidden"),
    # free
    (finished, BOB, Free("c", "X"), "forbidden"),
    (playing, ADA, Free("c", "O"), "forbidden"),
    (stood_in, ADA, Free("c", "O"), "forbidden"),
    (alone, ADA, Free("c", "O"), "forbidden"),
    (finished, ADA, Free("c", "O"), "forbidden"),
    # mute, close
    (playing, BOB, Mute("c", CAT.player, True), "forbidden"),
    (playing, ADA, Mute("c", ADA.player, True), "forbidden"),
    (playing, BOB, Close("c"), "forbidden"),
    # a closed room
    (closed, ADA, move(2, "c3"), "forbidden"),
    (closed, ADA, Chat("c", "hello"), "forbidden"),
    (closed, ADA, Close("c"), "forbidden"),
    (closed, CAT, sit("X"), "forbidden"),
]


@pytest.mark.parametrize(
    ("make", "person", "command", "code"),
    REJECTIONS,
    ids=[f"{row[0].__name__}-{row[1].name}-{type(row[2]).__name__}-{row[3]}-{n}" for n, row in enumerate(REJECTIONS)],
)
def test_the_first_code_that_applies(
    make: Callable[[], RoomPlay], person: Person, command: RoomCommand, code: str
) -> None:
    """A command is rejected with the first code that applies and a sentence, and nothing changes."""
    rejection = make().rejection(Request(person, command))
    assert rejection.code == code
    assert rejection.message.endswith((".", "!", "?"))


def test_a_move() -> None:
    """A move is made, recorded with its player and time, and reported by an event."""
    play = pair()
    play.now_ms += 700
    assert play.ask(ADA, move(0, "b2", game=1)) == (Moved("X", "b2", "p_ada"),)
    assert play.names == ("b2",)
    assert play.game.by == ("p_ada",)
    assert play.game.at_ms == (play.now_ms,)
    assert play.room.version == 2
    assert play.room.used_ms == play.now_ms
    assert play.game.turn == "O"


def engine_asked() -> RoomPlay:
    """The engine is to move after a1, and Ada has offered it a draw."""
    play = against_engine()
    play.moves("a1")
    play.ask(ADA, offer("draw"))
    return play


def engine_asked_elsewhere() -> RoomPlay:
    """The engine is to move after c3, in place of a1, and Ada has offered it a draw."""
    play = engine_asked()
    play.ask(ADA, answer("draw", False))
    play.ask(ADA, offer("takeback"))
    play.moves("c3")
    play.ask(ADA, offer("draw"))
    return play


def engine_answered() -> RoomPlay:
    """The engine has moved, so the draw has lapsed."""
    play = engine_asked()
    play.moves("b2")
    return play


def engine_resigned_to() -> RoomPlay:
    play = engine_asked()
    play.ask(ADA, resign())
    return play


def engine_in_a_closed_room() -> RoomPlay:
    play = engine_asked()
    play.ask(ADA, Close("c"))
    return play


def bob_back_in_his_seat() -> RoomPlay:
    """Bob has taken his seat back from the engine, which was to move and to answer a draw."""
    play = stood_in()
    play.moves("a1")
    play.ask(ADA, offer("draw"))
    play.connect(BOB)
    play.ask(BOB, sit("O"))
    return play


@pytest.mark.parametrize(
    "make",
    [engine_asked_elsewhere, engine_answered, engine_resigned_to, engine_in_a_closed_room, bob_back_in_his_seat, alone],
)
def test_the_engine_is_stale(make: Callable[[], RoomPlay]) -> None:
    """A move or an answer of the engine is stale once the position, the game or the seat is another."""
    play = engine_asked()
    thought, verdict = play.engine_move("b2"), play.engine_answer(True)
    assert play.step(thought) == (Moved("O", "b2", "engine:casual"),)
    assert make().rejection(thought).code == "stale"
    assert make().rejection(verdict).code == "stale"


def test_the_engine_answers_an_offer_only() -> None:
    """An engine's answer is stale without an open draw, and when a person was offered the draw."""
    play = against_engine()
    assert play.rejection(play.engine_answer(True)).code == "stale"
    play = draw_offered()
    assert play.rejection(play.engine_answer(True)).code == "stale"


def test_a_line_ends_the_game() -> None:
    """The move that completes a line ends the game. It names the line's cells and counts in the score."""
    play = pair()
    play.moves("a1", "a2", "b1", "b2", "c1")
    assert play.outcome() == ("X", "line")
    assert play.game.outcome is not None
    assert play.game.outcome.cells == (0, 1, 2)
    assert play.events == (Ended(1, "X", "line", "X", "c1"),)
    assert play.room.phase == "finished"
    assert play.game.turn is None
    assert play.wins == {"p_ada": 1, "p_bob": 0}


@pytest.mark.parametrize(("what", "winner"), [("win", "X"), ("draw", None)])
def test_a_claim_ends_the_game(what: Literal["win", "draw"], winner: str | None) -> None:
    """The opponent of a player who is away for too long claims the win or a draw."""
    play = bob_away()
    play.ask(ADA, claim(what))
    assert play.outcome() == (winner, "abandoned")
    assert play.claimable() == ()
    assert play.wins == {"p_ada": 1 if winner else 0, "p_bob": 0}
    assert play.room.draws == (0 if winner else 1)
