"""Two who want the same at the same moment: whatever the order, one has it, and the other is told why not.

A store takes one change after another, so a race is an order of commands; each is run in a thousand orders.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, EngineMoved, Request, Sit, Wake
from noughts.room.room import Place, Room
from noughts.room.seat import Person
from noughts.room.step import step
from tests.room.play import (
    ADA,
    BOB,
    HOUSE,
    INVITE,
    MOVE_5S,
    T0,
    answer,
    claim,
    finished,
    move,
    new_room,
    offer,
    pair,
    resign,
    seat_engine,
    sit,
    stand,
    stood_in,
)

ORDERS = 1_000


def in_any_order(
    room: Room, commands: Sequence[AnyCommand], check: Callable[[Room, dict[int, str]], None], now_ms: int = T0
) -> None:
    """Run the commands in a thousand random orders; ``check`` gets the room and the refusals by the command's place."""
    rng = random.Random(1)
    for _ in range(ORDERS):
        after, refused = room, {}
        for place in rng.sample(range(len(commands)), len(commands)):
            kept = after
            try:
                after, _ = step(after, commands[place], now_ms, HOUSE)
            except Rejection as rejection:
                assert after is kept
                refused[place] = rejection.code
        assert after.version - room.version <= len(commands) - len(refused)
        check(after, refused)


def test_two_sockets_move_at_the_same_ply_and_one_move_counts() -> None:
    play = pair()
    play.moves("b2", "a1")

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.game.play.ply == 3
        assert list(refused.values()) == ["stale"]

    in_any_order(play.room, [Request(ADA, move(2, "c3")), Request(ADA, move(2, "a3"))], check)


def test_a_move_sent_twice_from_two_devices_is_made_once() -> None:
    play = pair()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.game.play.moves == (4,)
        assert list(refused.values()) == ["stale"]

    in_any_order(play.room, [Request(ADA, move(0, "b2"))] * 2, check)


def test_fifty_sit_for_one_seat_and_exactly_one_has_it() -> None:
    crowd = [Person(f"p_{n}", f"N{n}") for n in range(50)]
    commands = [Request(person, Sit("s", "O", INVITE)) for person in crowd]
    winners = set()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert len(refused) == 49
        assert set(refused.values()) == {"seat_taken"}
        (winner,) = set(range(50)) - set(refused)
        assert room.o is not None
        assert room.o.player == f"p_{winner}"  # type: ignore[union-attr]
        assert room.games == 1
        winners.add(winner)

    in_any_order(new_room(), commands, check)
    assert len(winners) > 40


def test_the_player_returns_as_the_engine_answers() -> None:
    play = stood_in()
    play.moves("a1")
    thought = EngineMoved(1, 1, 4, play.game.play.moves)
    seen = set()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.o.player == "p_bob"  # type: ignore[union-attr]
        moved = room.game.play.ply == 2
        assert refused == ({} if moved else {0: "stale"})
        assert room.game.by == (("p_ada", "engine:casual") if moved else ("p_ada",))
        seen.add(moved)

    in_any_order(play.room, [thought, Request(BOB, sit("O"))], check)
    assert seen == {True, False}


def test_two_nodes_think_of_the_same_position_and_one_answer_counts() -> None:
    play = stood_in()
    play.moves("a1")
    thoughts = [EngineMoved(1, 1, cell, play.game.play.moves) for cell in (4, 8)]

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.game.play.ply == 2
        assert list(refused.values()) == ["stale"]

    in_any_order(play.room, thoughts, check)


def test_both_offer_a_rematch_at_once_and_one_game_begins() -> None:
    play = finished()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.games == 2
        assert refused == {}

    in_any_order(play.room, [Request(ADA, offer("rematch", 1)), Request(BOB, offer("rematch", 1))], check)


def test_a_rematch_is_accepted_as_its_offerer_stands_up() -> None:
    play = finished()
    play.does(BOB, offer("rematch"))

    def check(room: Room, refused: dict[int, str]) -> None:
        if room.games == 2:
            assert refused == {1: "forbidden"}
            assert room.playing
        else:
            assert refused == {0: "forbidden"}
            assert room.o is None

    in_any_order(play.room, [Request(ADA, answer("rematch", True)), Request(BOB, stand())], check)


def test_a_claim_races_the_return_and_the_stand_in() -> None:
    play = pair()
    play.moves("b2")
    play.leaves(BOB)
    play.wait(30_000)

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert len(refused) == 1
        if room.game.outcome is not None:
            assert refused == {1: "seat_taken"}
        else:
            assert refused == {0: "forbidden"}
            assert room.game.stand_in

    in_any_order(play.room, [Request(ADA, claim("win")), Request(ADA, seat_engine("O"))], check, play.now_ms)


def test_a_claim_after_the_return_is_refused_whichever_is_settled_first() -> None:
    play = pair()
    play.leaves(BOB)
    play.wait(30_000)
    back = replace(play.room, presence=replace(play.room.presence, o=Place(None)))

    def check(room: Room, refused: dict[int, str]) -> None:
        assert refused == {0: "forbidden"}
        assert room.claimable == ()

    in_any_order(back, [Request(ADA, claim("win")), Wake()], check, play.now_ms)


def test_both_resign_and_the_first_has_resigned() -> None:
    play = pair()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.game.outcome is not None
        assert list(refused.values()) == ["game_over"]
        assert room.game.outcome.winner == ("X" if 0 in refused else "O")

    in_any_order(play.room, [Request(ADA, resign(1)), Request(BOB, resign(1))], check)


def test_a_draw_is_accepted_as_the_offerer_moves() -> None:
    play = pair()
    play.does(ADA, offer("draw"))

    def check(room: Room, refused: dict[int, str]) -> None:
        assert room.game is not None
        assert room.offers == ()
        agreed = room.game.outcome is not None
        assert refused == ({0: "game_over"} if agreed else {1: "forbidden"})

    in_any_order(play.room, [Request(ADA, move(0, "b2")), Request(BOB, answer("draw", True))], check)


def test_the_flag_falls_as_the_move_arrives_and_the_order_does_not_matter() -> None:
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1")
    ends = set()

    def check(room: Room, refused: dict[int, str]) -> None:
        assert refused == {0: "game_over"}
        assert room.game is not None
        ends.add(room.game.outcome)

    in_any_order(play.room, [Request(ADA, move(2, "c3")), Wake()], check, T0 + 5_000)
    assert len(ends) == 1
