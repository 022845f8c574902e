"""The one state machine: the first code that rejects each command, and what a move does."""

from __future__ import annotations

from typing import Final

import pytest

from noughts.room.commands import Chat, Close, Free, Mute, Request, RoomCommand, Set
from noughts.room.events import (
    Declined,
    Ended,
    EngineSeated,
    Event,
    Moved,
    Offered,
    Sat,
    Started,
    Stood,
    TookBack,
    Withdrawn,
)
from noughts.room.seat import Person
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    INVITE,
    MOVE_5S,
    MakePlay,
    RoomPlay,
    after,
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


def flag_fallen() -> RoomPlay:
    """Ada's flag has fallen, and the room has not been woken yet."""
    play = playing(clock=MOVE_5S)
    play.now_ms += 5_000
    return play


def bob_back() -> RoomPlay:
    """Bob was away for the whole grace and is back. The room has not been woken since."""
    play = bob_away()
    play.away_since[BOB.player] = None
    return play


def bob_away_after_a_game() -> RoomPlay:
    """Bob has left after a game."""
    play = finished()
    play.disconnect(BOB)
    return play


closed = after(playing, (ADA, Close("c")))
moved = after(pair, (ADA, move(0, "b2")))
draw_offered = after(playing, (ADA, offer("draw")))
withdrawn = after(draw_offered, (ADA, answer("draw", False)))
declined = after(draw_offered, (BOB, answer("draw", False)))
takeback_offered = after(playing, (ADA, offer("takeback")))
takeback_offered_in_absence = after(bob_away, (ADA, offer("takeback")))
rematch_offered = after(finished, (BOB, offer("rematch")))
rematch_lapsed = after(rematch_offered, (BOB, stand()))
bob_up = after(finished, (BOB, stand()))
ada_up = after(alone, (ADA, stand()))
claimed = after(bob_away, (ADA, claim("win")))
stood_in_after_a_game = after(stood_in, (ADA, resign()))
engine_after_a_game = after(against_engine, (ADA, resign()))

# Each row: the room, the person, the command, and the first code that applies. The rows of a command stand in the order of
# precedence. Each but the last of a kind also has a reason for a later code, so that a row fails when the order changes.
REJECTIONS: Final[list[tuple[MakePlay, Person, RoomCommand, str]]] = [
    # move: not_seated, not_playing or game_over, stale, not_your_turn, illegal_move
    (alone, CAT, move(7, "z9", game=9), "not_seated"),
    (alone, ADA, move(7, "z9", game=9), "not_playing"),
    (finished, BOB, move(7, "z9", game=9), "game_over"),
    (flag_fallen, ADA, move(2, "c3"), "game_over"),
    (flag_fallen, BOB, move(9, "z9", game=9), "game_over"),
    (playing, BOB, move(2, "z9", game=2), "stale"),
    (playing, BOB, move(1, "z9"), "stale"),
    (playing, BOB, move(3, "z9", game=1), "stale"),
    (playing, ADA, move(0, "b2"), "stale"),
    (playing, BOB, move(2, "z9", game=1), "not_your_turn"),
    (stood_in, BOB, move(0, "z9"), "not_your_turn"),
    (playing, ADA, move(2, "b2"), "illegal_move"),
    (playing, ADA, move(2, "d1"), "illegal_move"),
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
    (finished, ADA, offer("draw", 9), "game_over"),
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
    (lambda: bob_away(29_999), ADA, seat_engine("O"), "seat_taken"),
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
    # chat
    (lambda: pair(spectator_chat="between_games"), CAT, Chat("c", "hello"), "forbidden"),
    (lambda: finished(spectator_chat="off"), CAT, Chat("c", "hello"), "forbidden"),
    # a closed room
    (closed, ADA, move(2, "c3"), "forbidden"),
    (closed, ADA, Chat("c", "hello"), "forbidden"),
    (closed, ADA, Close("c"), "forbidden"),
    (closed, CAT, sit("X"), "forbidden"),
]


@pytest.mark.parametrize(
    ("make", "person", "command", "code"),
    REJECTIONS,
    ids=[f"{number}-{row[1].name}-{type(row[2]).__name__}-{row[3]}" for number, row in enumerate(REJECTIONS)],
)
def test_the_first_code_that_applies(make: MakePlay, person: Person, command: RoomCommand, code: str) -> None:
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


EFFECTS: Final[list[tuple[MakePlay, Person, RoomCommand, tuple[Event, ...]]]] = [
    # offers
    (playing, ADA, offer("draw"), (Offered("draw", "X"),)),
    (draw_offered, BOB, answer("draw", True), (Ended(1, None, "agreement"),)),
    (draw_offered, BOB, offer("draw"), (Ended(1, None, "agreement"),)),
    (draw_offered, BOB, answer("draw", False), (Declined("draw", "O"),)),
    (draw_offered, BOB, offer("takeback"), (Offered("takeback", "O"),)),
    (draw_offered, ADA, answer("draw", False), (Withdrawn("draw", "X"),)),
    (withdrawn, ADA, offer("draw"), (Offered("draw", "X"),)),
    (declined, BOB, offer("draw"), (Offered("draw", "O"),)),
    (takeback_offered, BOB, answer("takeback", True), (TookBack("X", 0),)),
    (takeback_offered, BOB, offer("takeback"), (TookBack("X", 0),)),
    (takeback_offered_in_absence, ADA, seat_engine("O"), (EngineSeated("O", "casual"), TookBack("X", 0))),
    (rematch_offered, ADA, answer("rematch", True), (Started(2),)),
    (rematch_offered, ADA, offer("rematch", 1), (Started(2),)),
    (engine_after_a_game, ADA, offer("rematch"), (Offered("rematch", "X"), Started(2))),
    # claims
    (bob_away, ADA, claim("win"), (Ended(1, "X", "abandoned"),)),
    (bob_away, ADA, claim("draw"), (Ended(1, None, "abandoned"),)),
    # seats
    (alone, BOB, sit("O", INVITE), (Sat("O", "p_bob", "Bob"), Started(1))),
    (bob_up, CAT, sit("O", INVITE), (Sat("O", "p_cat", "Cat"), Started(2))),
    (ada_up, ADA, sit("O"), (Sat("O", "p_ada", "Ada"),)),
    (engine_after_a_game, BOB, sit("O", INVITE), (Sat("O", "p_bob", "Bob"), Started(2))),
    (stood_in, BOB, sit("O"), (Sat("O", "p_bob", "Bob"),)),
    (stood_in, BOB, resign(), (Ended(1, "X", "resignation"),)),
    (stood_in_after_a_game, BOB, sit("O"), (Sat("O", "p_bob", "Bob"),)),
    (stood_in_after_a_game, BOB, stand(), (Stood("O"),)),
    (finished, BOB, stand(), (Stood("O"),)),
    (engine_after_a_game, ADA, Free("c", "O"), (Stood("O"),)),
    (bob_away_after_a_game, ADA, Free("c", "O"), (Stood("O"),)),
    (alone, ADA, seat_engine("O", "skilled"), (EngineSeated("O", "skilled"), Started(1))),
    (ada_up, ADA, seat_engine("X"), (EngineSeated("X", "casual"),)),
    (bob_away, ADA, seat_engine("O", "perfect"), (EngineSeated("O", "perfect"),)),
]


@pytest.mark.parametrize(
    ("make", "person", "command", "events"),
    EFFECTS,
    ids=[f"{number}-{row[1].name}-{type(row[2]).__name__}" for number, row in enumerate(EFFECTS)],
)
def test_what_a_command_does(make: MakePlay, person: Person, command: RoomCommand, events: tuple[Event, ...]) -> None:
    """A command has these events. An answered or withdrawn offer is no longer open."""
    play = make()
    assert play.ask(person, command) == events
    assert bool(play.room.offers) == isinstance(events[-1], Offered)
    assert play.claimable() == ()


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
