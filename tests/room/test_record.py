"""A room as bytes and back: all that lasts, nothing that does not, and no game that the rules forbid."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from noughts.room.commands import Mute
from noughts.room.record import game_bytes, game_from, room_bytes, room_from
from noughts.room.room import NOBODY
from tests.room.play import (
    ADA,
    FISCHER_60_2,
    MOVE_5S,
    Play,
    against_engine,
    engines,
    finished,
    new_room,
    offer,
    pair,
    stood_in,
)

VANISHING = ("a1", "b1", "a2", "b2", "c3", "c1", "b3")


def muted() -> Play:
    play = pair(variant="ultimate", clock=FISCHER_60_2)
    play.moves("e5", "d4", "a1")
    play.does(ADA, Mute("c", "spectators", True))
    play.does(ADA, offer("draw"))
    return play


def vanishing() -> Play:
    play = pair(variant="vanishing", clock=MOVE_5S)
    play.moves(*VANISHING)
    return play


ROOMS = [lambda: Play(new_room()), pair, finished, stood_in, engines, against_engine, muted, vanishing]


@pytest.mark.parametrize("made", ROOMS)
def test_a_room_survives_its_bytes_but_not_who_was_connected(made: type[Play]) -> None:
    room = made().room
    again = room_from(room_bytes(room))
    assert again == replace(room, presence=NOBODY)
    assert room_bytes(again) == room_bytes(room)
    if room.game is not None and again.game is not None:
        assert again.game.play.position == room.game.play.position
        assert again.game.play.outcome == room.game.play.outcome
        assert again.game.play.seen == room.game.play.seen


@pytest.mark.parametrize("made", ROOMS[1:])
def test_a_game_survives_its_bytes(made: type[Play]) -> None:
    game = made().game
    assert game_from(game_bytes(game)) == game


def test_presence_costs_no_write() -> None:
    play = pair()
    before = room_bytes(play.room)
    play.leaves(ADA)
    assert room_bytes(play.room) == before


@pytest.mark.parametrize(
    "game",
    [
        ["classic", [0, 0]],
        ["classic", [0, 3, 1, 4, 2, 5]],
        ["classic", [9]],
        ["classic", [-1]],
        ["classic", ["a1"]],
        ["classic", [None]],
        ["classic", 5],
        ["chess", []],
        [["classic"], []],
        ["classic"],
        None,
        7,
    ],
)
def test_a_stored_game_that_the_rules_forbid_is_no_room(game: object) -> None:
    fields = msgspec.msgpack.decode(room_bytes(pair().room))
    fields["game"]["play"] = game
    with pytest.raises(msgspec.ValidationError):
        room_from(msgspec.msgpack.encode(fields))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xc1", b"noughts", room_bytes(new_room())[:-3]])
def test_bytes_that_are_no_room_are_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        room_from(data)


def test_a_field_that_a_newer_program_wrote_is_passed_over() -> None:
    fields = msgspec.msgpack.decode(room_bytes(new_room()))
    assert room_from(msgspec.msgpack.encode({**fields, "of_tomorrow": 1})) == new_room()
