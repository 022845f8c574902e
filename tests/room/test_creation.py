"""How a room begins: who sits where, who may join, and whether a game starts at once."""

from __future__ import annotations

from typing import Any

import pytest

from noughts.room.commands import Visibility
from noughts.room.creation import Opponent, new_room
from noughts.room.room import Join, Room
from noughts.room.seat import EngineSeat, Seat
from noughts.rules.outcome import Mark
from noughts.rules.variant import VARIANTS
from tests.support.room_play import ADA, FISCHER_60_2, INVITE, T0, seat_of


def created(opponent: Opponent, **fields: Any) -> Room:
    """Return Ada's new room for an opponent."""
    arguments: dict[str, Any] = {
        "room_id": "r",
        "invite": INVITE,
        "owner": ADA.nameless,
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
    ("opponent", "mark", "engines", "x", "o", "join", "visibility"),
    [
        ("friend", "X", (), seat_of(ADA), None, "invite", "unlisted"),
        ("friend", "O", (), None, seat_of(ADA), "invite", "unlisted"),
        ("anyone", "O", (), None, seat_of(ADA), "open", "public"),
        ("engine", "X", ("casual",), seat_of(ADA), EngineSeat("casual"), "invite", "unlisted"),
        ("engine", "O", ("casual",), EngineSeat("casual"), seat_of(ADA), "invite", "unlisted"),
        ("engines", "X", ("novice", "perfect"), EngineSeat("novice"), EngineSeat("perfect"), None, "public"),
    ],
)
def test_a_new_room(
    opponent: Opponent,
    mark: Mark,
    engines: tuple[str, ...],
    x: Seat | None,
    o: Seat | None,
    join: Join | None,
    visibility: Visibility,
) -> None:
    """The opponent decides who sits where, how the room is joined, and whether the lobby shows it."""
    room = created(opponent, mark=mark, engines=engines, clock=FISCHER_60_2, variant=VARIANTS["qubic"])
    assert (room.id, room.version, room.owner, room.created_ms, room.used_ms) == ("r", 1, ADA.nameless, T0, T0)
    assert (room.variant, room.clock) == ("qubic", FISCHER_60_2)
    assert (x, o) == (room.seats.X, room.seats.O)
    assert (room.join, room.invite) == (join, INVITE if join == "invite" else None)
    assert room.visibility == visibility
    for chosen in ("public", "unlisted"):
        assert created(opponent, mark=mark, engines=engines, visibility=chosen).visibility == chosen
    if x is None or o is None:
        assert (room.phase, room.game, room.games) == ("waiting", None, 0)
    else:
        assert room.phase == "playing"
        assert room.game is not None
        assert (room.game.number, room.game.started_ms, room.game.left_ms.X, room.game.stand_in) == (
            1,
            T0,
            60_000,
            False,
        )
