"""Two commands for the same thing at the same moment: in any order one is accepted, and the other is rejected.

A store takes one change after another, so a race is an order of commands. Each is run in a thousand orders.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, EngineMoved, Request, Sit, Wake
from noughts.room.room import Room, RoomGame
from noughts.room.seat import HumanSeat, Person, holder
from noughts.room.step import step
from noughts.rules.outcome import Outcome
from tests.support.room_play import (
    ADA,
    BOB,
    INVITE,
    MOVE_5S,
    RoomPlay,
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

ORDERS: Final = 1_000


def in_any_order(play: RoomPlay, commands: Sequence[AnyCommand], check: Callable[[Room, dict[int, str]], None]) -> None:
    """Run the commands in a thousand random orders.

    ``check`` is called with the room and the codes of the rejections by the command's index.
    """
    rng = random.Random(1)
    for _ in range(ORDERS):
        room, codes = play.room, dict[int, str]()
        for index in rng.sample(range(len(commands)), len(commands)):
            before = room
            try:
                room = step(room, commands[index], play.moment).room
            except Rejection as rejection:
                assert room is before
                codes[index] = rejection.code
        assert room.version - play.room.version <= len(commands) - len(codes)
        check(room, codes)


def game_of(room: Room) -> RoomGame:
    """Return the room's game, which there must be."""
    assert room.game is not None
    return room.game


def test_two_moves_at_the_same_ply() -> None:
    """Of two moves from two devices of a player, one is made."""

    def check(room: Room, codes: dict[int, str]) -> None:
        assert game_of(room).history.ply == 3
        assert list(codes.values()) == ["stale"]

    in_any_order(playing(), [Request(ADA, move(2, "c3")), Request(ADA, move(2, "a3"))], check)


def test_the_same_move_twice() -> None:
    """A move that is sent twice is made once."""

    def check(room: Room, codes: dict[int, str]) -> None:
        assert game_of(room).history.moves == (4,)
        assert list(codes.values()) == ["stale"]

    in_any_order(pair(), [Request(ADA, move(0, "b2"))] * 2, check)


def test_fifty_people_sit_down() -> None:
    """Of fifty people who sit down at once, exactly one has the seat."""
    people = [Person(f"p_{n}", f"N{n}") for n in range(50)]
    commands = [Request(person, Sit("s", "O", INVITE)) for person in people]
    winners = set()

    def check(room: Room, codes: dict[int, str]) -> None:
        assert len(codes) == 49
        assert set(codes.values()) == {"seat_taken"}
        (winner,) = set(range(50)) - set(codes)
        assert holder(room.seat("O")) == f"p_{winner}"
        assert room.games == 1
        winners.add(winner)

    in_any_order(alone(), commands, check)
    assert len(winners) > 40


def test_the_player_returns_as_the_engine_moves() -> None:
    """Either the engine's move comes first and counts, or it is stale; the player has the seat in both cases."""
    play = stood_in()
    play.moves("a1")
    outcomes = set()

    def check(room: Room, codes: dict[int, str]) -> None:
        game = game_of(room)
        assert room.seat("O") == HumanSeat("p_bob", "Bob")
        moved = game.history.ply == 2
        assert codes == ({} if moved else {0: "stale"})
        assert game.by == (("p_ada", "engine:casual") if moved else ("p_ada",))
        outcomes.add(moved)

    in_any_order(play, [play.engine_move("b2"), Request(BOB, sit("O"))], check)
    assert outcomes == {True, False}


def test_two_nodes_search_the_same_position() -> None:
    """Of two engine moves in one position, the first counts."""
    play = stood_in()
    play.moves("a1")

    def check(room: Room, codes: dict[int, str]) -> None:
        assert game_of(room).history.ply == 2
        assert list(codes.values()) == ["stale"]

    in_any_order(play, [EngineMoved(1, (0,), cell) for cell in (4, 8)], check)


def test_both_offer_a_rematch() -> None:
    """Two offers of a rematch begin one game."""

    def check(room: Room, codes: dict[int, str]) -> None:
        assert room.games == 2
        assert codes == {}

    in_any_order(finished(), [Request(ADA, offer("rematch", 1)), Request(BOB, offer("rematch", 1))], check)


def test_a_rematch_is_accepted_as_its_maker_stands_up() -> None:
    """Either the game begins and the seat is kept, or the seat is empty and the offer is gone."""
    play = finished()
    play.ask(BOB, offer("rematch"))

    def check(room: Room, codes: dict[int, str]) -> None:
        if room.games == 2:
            assert codes == {1: "forbidden"}
            assert room.playing
        else:
            assert codes == {0: "forbidden"}
            assert room.seat("O") is None

    in_any_order(play, [Request(ADA, answer("rematch", True)), Request(BOB, stand())], check)


def test_a_claim_and_a_stand_in() -> None:
    """The opponent of an absent player has one of the two choices."""

    def check(room: Room, codes: dict[int, str]) -> None:
        assert len(codes) == 1
        if game_of(room).outcome is not None:
            assert codes == {1: "seat_taken"}
        else:
            assert codes == {0: "forbidden"}
            assert game_of(room).stand_in

    in_any_order(bob_away(), [Request(ADA, claim("win")), Request(ADA, seat_engine("O"))], check)


def test_a_claim_after_the_return() -> None:
    """A claim is rejected once the player is back, before the wake-up and after it."""
    play = bob_away()
    play.away_since[BOB.player] = None

    def check(room: Room, codes: dict[int, str]) -> None:
        assert codes == {0: "forbidden"}
        assert room.claimable == ()

    in_any_order(play, [Request(ADA, claim("win")), Wake()], check)


def test_both_resign() -> None:
    """The first to resign has lost."""

    def check(room: Room, codes: dict[int, str]) -> None:
        assert list(codes.values()) == ["game_over"]
        assert game_of(room).outcome == Outcome("X" if 0 in codes else "O", "resignation")

    in_any_order(pair(), [Request(ADA, resign(1)), Request(BOB, resign(1))], check)


def test_a_draw_is_accepted_as_its_maker_moves() -> None:
    """Either the draw is agreed, or the move has ended the offer."""
    play = pair()
    play.ask(ADA, offer("draw"))

    def check(room: Room, codes: dict[int, str]) -> None:
        assert not room.offers
        agreed = game_of(room).outcome is not None
        assert codes == ({0: "game_over"} if agreed else {1: "forbidden"})

    in_any_order(play, [Request(ADA, move(0, "b2")), Request(BOB, answer("draw", True))], check)


def test_the_flag_falls_as_the_move_arrives() -> None:
    """A move at the moment of the flag is too late, before the wake-up and after it."""
    play = playing(clock=MOVE_5S)
    play.now_ms += 5_000

    def check(room: Room, codes: dict[int, str]) -> None:
        assert codes == {0: "game_over"}
        assert game_of(room).outcome == Outcome("O", "timeout")

    in_any_order(play, [Request(ADA, move(2, "c3")), Wake()], check)
