"""The list of your rooms in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.protocol.bodies import MyRoom
from noughts.protocol.messages import EngineSeatView, HumanSeatView, OutcomeView
from noughts.room.seat import Person
from noughts.rules.outcome import Mark, Reason
from noughts.terminal.my_rooms import room_lines, time_left

DAY_MS = 86_400_000
BEN = HumanSeatView("p_ben", "Ben")
ROOM = MyRoom("abc", "classic", "playing", "X", "X", True, BEN, 2 * DAY_MS, 0, 0, None, {})


def line(room: MyRoom) -> str:
    return room_lines(room, "https://example.org", 0).split("\n")[0]


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (3 * DAY_MS, "3 days left"),
        (3 * DAY_MS - 1, "3 days left"),
        (2 * DAY_MS - 1, "47 hours left"),
        (DAY_MS - 1, "23 hours left"),
        (3_600_000, "1 hour left"),
        (3_599_999, "59 minutes left"),
        (59_999, "under a minute left"),
        (-5, "under a minute left"),
    ],
)
def test_time_left_is_in_words(ms: int, words: str) -> None:
    assert time_left(ms) == words


def test_a_room_has_its_turn_its_opponent_its_time_and_its_link() -> None:
    expected = "Your turn (X), Tic-tac-toe against Ben, 2 days left\n  https://example.org/r/abc"
    assert room_lines(ROOM, "https://example.org", 0) == expected
    theirs = replace(
        ROOM, turn="O", yours=False, deadline_ms=None, opponent=EngineSeatView("casual", Person("p_b", "Ben"))
    )
    assert line(theirs) == "Their turn (O), Tic-tac-toe against Otto for Ben"
    newer = replace(ROOM, variant="new", opponent=HumanSeatView("p_ben", ""))
    assert line(newer) == "Your turn (X), new against someone, 2 days left"


def test_a_room_without_a_game_says_so() -> None:
    waiting = replace(ROOM, phase="waiting", turn=None, yours=False, opponent=None, deadline_ms=None)
    assert line(waiting) == "No game yet, Tic-tac-toe against no player yet"


@pytest.mark.parametrize(
    ("winner", "reason", "words"),
    [
        ("X", "line", "You won"),
        ("O", "timeout", "You lost"),
        (None, "agreement", "Drawn"),
        (None, "aborted", "Aborted"),
    ],
)
def test_a_game_that_is_over_says_how(winner: Mark | None, reason: Reason, words: str) -> None:
    outcome = OutcomeView(winner, reason, ())
    over = replace(ROOM, phase="finished", turn=None, yours=False, deadline_ms=None, outcome=outcome)
    assert line(over) == f"{words}, Tic-tac-toe against Ben"
