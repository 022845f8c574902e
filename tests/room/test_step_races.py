"""Commands for the same thing at the same moment, in every order: what is accepted, and what the others are rejected with.

A store takes one change after another, so a race is an order of commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Final

import pytest

from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, EngineMoved, Request, Wake
from noughts.room.seat import EngineSeat, Person, holder
from noughts.room.step import step
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


def in_order(play: RoomPlay, commands: Sequence[AnyCommand], order: Sequence[int]) -> tuple[RoomPlay, list[str]]:
    """Run the commands in an order. Return the room, and the answer to each command: its code, or ``ok``."""
    answers = ["ok"] * len(commands)
    before = play.room
    for index in order:
        try:
            play.room = step(play.room, commands[index], play.moment).room
        except Rejection as rejection:
            answers[index] = rejection.code
    assert play.room.version - before.version <= answers.count("ok")
    return play, answers


def summary(play: RoomPlay) -> str:
    """Return what tells the rooms after a race apart: moves, outcome, a second game, and who holds O but Bob."""
    seat, outcome = play.room.seat("O"), play.outcome()
    facts = [" ".join(play.names)]
    facts.append(f"{outcome[1]} for {outcome[0]}" if outcome else "")
    facts.append(f"game {play.room.games}" if play.room.games > 1 else "")
    facts.append("nobody at O" if seat is None else "engine at O" if isinstance(seat, EngineSeat) else "")
    return ", ".join(filter(None, facts))


def stand_in_moves() -> RoomPlay:
    """The engine holds Bob's seat and is to move."""
    play = stood_in()
    play.moves("a1")
    return play


def rematch_offered() -> RoomPlay:
    """Bob has offered a rematch."""
    play = finished()
    play.ask(BOB, offer("rematch"))
    return play


def draw_offered() -> RoomPlay:
    """Ada has offered a draw before the first move."""
    play = pair()
    play.ask(ADA, offer("draw"))
    return play


def bob_back() -> RoomPlay:
    """Bob was away for the whole grace and is back. The room has not been woken since."""
    play = bob_away()
    play.away_since[BOB.player] = None
    return play


def flag_fallen() -> RoomPlay:
    """Ada's time is over at this moment."""
    play = playing(clock=MOVE_5S)
    play.now_ms += 5_000
    return play


RACES: Final[dict[str, tuple[Callable[[], RoomPlay], AnyCommand, AnyCommand, str, str]]] = {
    "two moves from two devices": (
        playing,
        Request(ADA, move(2, "c3")),
        Request(ADA, move(2, "a3")),
        "ok, stale: b2 a1 c3",
        "stale, ok: b2 a1 a3",
    ),
    "the same move twice": (
        pair,
        Request(ADA, move(0, "b2")),
        Request(ADA, move(0, "b2")),
        "ok, stale: b2",
        "stale, ok: b2",
    ),
    "a player takes the seat back as the engine moves": (
        stand_in_moves,
        EngineMoved(1, (0,), 4),
        Request(BOB, sit("O")),
        "ok, ok: a1 b2",
        "stale, ok: a1",
    ),
    "two nodes search the same position": (
        stand_in_moves,
        EngineMoved(1, (0,), 4),
        EngineMoved(1, (0,), 8),
        "ok, stale: a1 b2, engine at O",
        "stale, ok: a1 c3, engine at O",
    ),
    "both offer a rematch": (
        finished,
        Request(ADA, offer("rematch", 1)),
        Request(BOB, offer("rematch", 1)),
        "ok, ok: game 2",
        "ok, ok: game 2",
    ),
    "a rematch is accepted as its maker stands up": (
        rematch_offered,
        Request(ADA, answer("rematch", True)),
        Request(BOB, stand()),
        "ok, forbidden: game 2",
        "forbidden, ok: resignation for X, nobody at O",
    ),
    "a claim and a stand-in": (
        bob_away,
        Request(ADA, claim("win")),
        Request(ADA, seat_engine("O")),
        "ok, seat_taken: b2 a1, abandoned for X",
        "forbidden, ok: b2 a1, engine at O",
    ),
    "a claim after the return": (
        bob_back,
        Request(ADA, claim("win")),
        Wake(),
        "forbidden, ok: b2 a1",
        "forbidden, ok: b2 a1",
    ),
    "both resign": (
        pair,
        Request(ADA, resign(1)),
        Request(BOB, resign(1)),
        "ok, game_over: resignation for O",
        "game_over, ok: resignation for X",
    ),
    "a draw is accepted as its maker moves": (
        draw_offered,
        Request(ADA, move(0, "b2")),
        Request(BOB, answer("draw", True)),
        "ok, forbidden: b2",
        "game_over, ok: agreement for None",
    ),
    "the flag falls as the move arrives": (
        flag_fallen,
        Request(ADA, move(2, "c3")),
        Wake(),
        "game_over, ok: b2 a1, timeout for O",
        "game_over, ok: b2 a1, timeout for O",
    ),
}
"""The room and two commands. Then their answers and the room after them in this order, and the same in the other order."""


@pytest.mark.parametrize("race", RACES)
def test_both_orders_of_two_commands(race: str) -> None:
    """One of the two is accepted, or both are, and the room shows which came first."""
    make, first, second, in_this_order, in_the_other = RACES[race]
    for order, expected in (((0, 1), in_this_order), ((1, 0), in_the_other)):
        play, codes = in_order(make(), (first, second), order)
        assert f"{', '.join(codes)}: {summary(play)}" == expected
        assert play.claimable() == ()


def test_five_people_sit_down() -> None:
    """The first one has the seat, in each of the 120 orders."""
    people = [Person(f"p_{n}", f"N{n}") for n in range(5)]
    commands = [Request(person, sit("O", INVITE)) for person in people]
    for order in permutations(range(5)):
        play, codes = in_order(alone(), commands, order)
        assert codes.index("ok") == order[0]
        assert sorted(codes) == ["ok", *["seat_taken"] * 4]
        assert (holder(play.room.seat("O")), play.room.games) == (f"p_{order[0]}", 1)
