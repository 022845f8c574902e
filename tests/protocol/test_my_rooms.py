"""The items of a player's rooms, and their order."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from noughts.protocol.messages import HumanSeatView
from noughts.protocol.views import in_order, my_room
from noughts.room.clock import DaysClock
from noughts.room.room import closed_room
from tests.support.room_play import ADA, BOB, CAT, NAMES, T0, alone, finished, pair

DAY_MS = 86_400_000


def test_an_item_tells_whose_turn_it_is_and_until_when() -> None:
    play = pair(clock=DaysClock(3))
    play.moves("b2")
    item = my_room(play.room, BOB.player, NAMES)
    assert item is not None
    assert (item.mark, item.turn, item.yours, item.ply, item.marks) == ("O", "O", True, 1, {"b2": "X"})
    assert (item.deadline_ms, item.opponent, item.outcome) == (T0 + 3 * DAY_MS, HumanSeatView(ADA.player, "Ada"), None)
    theirs = my_room(play.room, ADA.player, NAMES)
    assert theirs is not None
    assert (theirs.yours, theirs.mark) == (False, "X")


def test_a_room_before_its_first_game_has_no_marks() -> None:
    item = my_room(alone().room, ADA.player, NAMES)
    assert item is not None
    assert (item.phase, item.turn, item.yours, item.ply, item.marks, item.boards) == (
        "waiting",
        None,
        False,
        0,
        {},
        UNSET,
    )


def test_only_open_rooms_with_a_seat_of_the_player_are_items() -> None:
    room = pair().room
    assert my_room(room, CAT.player, NAMES) is None
    assert my_room(closed_room(room), ADA.player, NAMES) is None


def test_your_turn_comes_first_then_the_deadline_then_the_newest_change() -> None:
    rooms = [
        my_room(replace(room, id=name), ADA.player, NAMES)
        for name, room in (
            ("over", finished().room),
            ("untimed", pair().room),
            ("seven", pair(clock=DaysClock(7)).room),
            ("three", pair(clock=DaysClock(3)).room),
        )
    ]
    assert [item.id for item in in_order([item for item in rooms if item is not None])] == [
        "three",
        "seven",
        "untimed",
        "over",
    ]
