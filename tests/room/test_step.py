"""The one state machine: the first code that rejects each command, and what a move does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

import pytest

from noughts.room.commands import Chat, Close, EngineDrawAnswer, EngineMoved, Free, Mute, Request, RoomCommand, Set
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


def declined() -> RoomPlay:
    """Bob has just declined Ada's draw."""
    play = playing()
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
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
    (pair, ADA, offer("takeback"), "forbidden"),
    # answer
    (finished, CAT, answer("rematch", True, 9), "not_seated"),
    (alone, ADA, answer("draw", True, 9), "not_playing"),
    (finished, ADA, answer("draw", True, 9), "game_over"),
    (playing, ADA, answer("draw", True, 2), "stale"),
    (finished, ADA, answer("rematch", True, 2), "stale"),
    (playing, ADA, answer("draw", True), "forbidden"),
    (playing, ADA, answer("takeback", False), "forbidden"),
    (finished, ADA, answer("rematch", False), "forbidden"),
    # claim
    (bob_away, CAT, claim("win", 9), "not_seated"),
    (alone, ADA, claim("win", 9), "not_playing"),
    (finished, ADA, claim("win", 9), "game_over"),
    (bob_away, ADA, claim("win", 9), "stale"),
    (playing, ADA, claim("win"), "forbidden"),
    (bob_away, BOB, claim("win"), "forbidden"),
    # sit
    (playing, CAT, sit("O"), "seat_taken"),
    (playing, ADA, sit("X"), "seat_taken"),
    (playing, ADA, sit("O"), "seat_taken"),
    (against_engine, CAT, sit("O", INVITE), "seat_taken"),
    (stood_in, CAT, sit("O", INVITE), "seat_taken"),
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


def test_every_rejected_move_says_why() -> None:
    """The message of a rejected move is a sentence of its own for each reason."""
    play = playing()
    commands = [
        (ADA, move(2, "b2")),
        (ADA, move(2, "a1")),
        (ADA, move(2, "z9")),
        (BOB, move(2, "c3")),
        (ADA, move(1, "c3")),
    ]
    assert [play.rejection(Request(person, command)).message for person, command in commands] == [
        "b2 is taken.",
        "a1 is taken.",
        "There is no cell z9 on this board.",
        "It is your opponent's turn.",
        "The position has changed: look at it again, then move.",
    ]


@pytest.mark.parametrize(("game", "moves"), [(2, (0,)), (1, ()), (1, (0, 8)), (1, (8,))])
def test_the_engine_is_stale_in_another_position(game: int, moves: tuple[int, ...]) -> None:
    """An engine's move or answer about another game, ply or position is stale."""
    play = against_engine()
    assert play.rejection(EngineMoved(1, (), 4)).code == "stale"
    play.moves("a1")
    assert play.rejection(EngineMoved(game, moves, 4)).code == "stale"
    assert play.rejection(EngineDrawAnswer(game, moves, True)).code == "stale"
    assert play.step(EngineMoved(1, (0,), 4)) == (Moved("O", "b2", "engine:casual"),)
    assert play.names == ("a1", "b2")


def test_the_engine_is_stale_without_a_game() -> None:
    """An engine's move is stale once its game has ended, once the room is closed, and before the first game."""
    for end in (resign(), Close("c")):
        play = against_engine()
        play.moves("a1")
        thought = play.engine_move("b2")
        play.ask(ADA, end)
        assert play.rejection(thought).code == "stale"
    assert alone().rejection(EngineMoved(1, (), 4)).code == "stale"


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
