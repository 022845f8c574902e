"""The crowd message: presence of both seats, and who watches."""

from __future__ import annotations

import json
from typing import Any

from noughts.app.rooms.crowd import crowd_message, spectators
from noughts.protocol.views import MAX_LISTED_NAMES
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import EngineSeat, HumanSeat, Player, Seat
from noughts.rules.by_mark import ByMark
from noughts.store.presence import NO_ATTENDANCE, Attendance

ANN = Player("p_ann")
ROOM = Room("r", 1, "classic", "public", ANN, 0, 0, seats=ByMark(HumanSeat("p_ann"), None))


def crowd(room: Room, attendance: Attendance, presence: Presence, now_ms: int = 0) -> dict[str, Any]:
    """Return a crowd as a client reads it."""
    frame = crowd_message(room, presence, attendance, now_ms, Policy())
    return dict(json.loads(frame[2:] if frame[1] < 126 else frame[4:]))


def test_players_with_a_seat_do_not_watch() -> None:
    attendance = Attendance(5, 2, {"p_ann": "Ann", "p_ben": "Ben", "p_eve": "Eve"})
    assert spectators(ROOM, attendance) == (4, ["Ben", "Eve"])
    assert spectators(ROOM, NO_ATTENDANCE) == (0, [])


def test_a_player_whose_seat_the_engine_holds_does_not_watch() -> None:
    stand_in = EngineSeat("novice", Player("p_ben"))
    seats: ByMark[Seat | None] = ByMark(HumanSeat("p_ann"), stand_in)
    room = Room("r", 1, "classic", "public", ANN, 0, 0, seats=seats)
    assert spectators(room, Attendance(2, 0, {"p_ann": "Ann", "p_ben": "Ben"})) == (0, [])


def test_a_crowd_says_who_is_here_and_since_when_a_player_is_not() -> None:
    attendance = Attendance(2, 1, {"p_ben": "Ben"})
    message = crowd(ROOM, attendance, Presence(away={"p_ann": 400}), now_ms=1_000)
    assert message == {
        "type": "crowd",
        "seats": {"X": {"present": False, "away_ms": 600, "claimable_in_ms": None}, "O": None},
        "spectators": 2,
        "names": ["Ben"],
    }
    assert crowd(ROOM, attendance, Presence())["seats"]["X"]["present"]


def test_names_are_listed_only_where_there_are_few() -> None:
    """Nameless spectators count."""
    players = {f"p_{n}": f"Name {n}" for n in range(MAX_LISTED_NAMES)}
    few, many = Attendance(20, 0, players), Attendance(21, 1, players)
    assert crowd(ROOM, few, Presence())["names"] == list(players.values())
    message = crowd(ROOM, many, Presence())
    assert (message["spectators"], message["names"]) == (MAX_LISTED_NAMES + 1, [])
