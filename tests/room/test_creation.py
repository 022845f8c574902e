"""How a room begins: who sits where, who may join, and whether a game starts at once."""

from __future__ import annotations

from typing import Any

import pytest

from noughts.room.clock import ClockSetting
from noughts.room.commands import Visibility
from noughts.room.creation import Opponent, new_room
from noughts.room.room import Join, Room
from noughts.room.seat import EngineSeat, Seat
from noughts.rules.outcome import MARKS, Mark
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, FISCHER_60_2, INVITE, T0, seat_of


def created(opponent: Opponent, **fields: Any) -> Room:
    """Return Ada's new room for an opponent."""
    arguments: dict[str, Any] = {
        "room_id": "r",
        "invite": INVITE,
        "owner": ADA,
        "variant": VARIANTS["classic"],
        "opponent": opponent,
        "mark": "X",
        "engines": (),
        "clock": None,
        "visibility": None,
        "now_ms": T0,
    }
    return new_room(**{**arguments, **fields})


@pytest.mark.parametrize(
    ("opponent", "join", "invite", "visibility"),
    [
        ("friend", "invite", INVITE, "unlisted"),
        ("anyone", "open", None, "public"),
        ("engine", "invite", INVITE, "unlisted"),
        ("engines", None, None, "public"),
    ],
)
def test_join_by_opponent(opponent: Opponent, join: Join | None, invite: str | None, visibility: Visibility) -> None:
    """The opponent decides how the room is joined and whether the lobby shows it."""
    room = created(opponent, engines=("novice", "perfect"))
    assert (room.join, room.invite, room.visibility) == (join, invite, visibility)
    assert (room.id, room.version, room.variant, room.owner) == ("r", 1, "classic", ADA)
    assert room.created_ms == room.used_ms == T0


@pytest.mark.parametrize("opponent", ["friend", "anyone", "engine", "engines"])
@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_chosen_visibility(opponent: Opponent, visibility: Visibility) -> None:
    """A visibility that was asked for is the room's."""
    assert created(opponent, engines=("novice", "perfect"), visibility=visibility).visibility == visibility


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("opponent", ["friend", "anyone"])
def test_a_room_that_waits(opponent: Opponent, mark: Mark) -> None:
    """The owner sits at the chosen mark, and no game has begun."""
    room = created(opponent, mark=mark)
    assert room.seats.of(mark) == seat_of(ADA)
    assert room.phase == "waiting"
    assert (room.game, room.games) == (None, 0)


@pytest.mark.parametrize(
    ("mark", "x", "o"), [("X", seat_of(ADA), EngineSeat("casual")), ("O", EngineSeat("casual"), seat_of(ADA))]
)
def test_a_room_against_the_engine(mark: Mark, x: Seat, o: Seat) -> None:
    """The engine sits opposite the owner, and the game is on; the room is still at version 1."""
    room = created("engine", mark=mark, engines=("casual",), clock=FISCHER_60_2)
    assert (x, o) == (room.seats.X, room.seats.O)
    assert room.phase == "playing"
    assert room.version == 1
    assert room.game is not None
    assert (room.game.number, room.game.started_ms, room.game.left_ms.of(mark)) == (1, T0, 60_000)
    assert not room.game.stand_in


def test_a_room_of_two_engines() -> None:
    """The first level is for X. The owner has no seat."""
    room = created("engines", engines=("novice", "perfect"))
    assert (EngineSeat("novice"), EngineSeat("perfect")) == (room.seats.X, room.seats.O)
    assert room.phase == "playing"


@pytest.mark.parametrize("clock", [None, FISCHER_60_2])
def test_the_clock_and_the_variant(clock: ClockSetting | None) -> None:
    """The room has the clock and the variant that were asked for."""
    room = created("friend", clock=clock, variant=VARIANTS["qubic"])
    assert (room.clock, room.variant) == (clock, "qubic")
