"""A room as bytes and back: everything that lasts, and no game that the rules forbid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from noughts.room.commands import Mute
from noughts.room.room import Room
from noughts.room.storage import game_bytes, game_from, read_history, room_bytes, room_from, used_ms_in
from noughts.rules.game import Game
from tests.support.room_play import (
    ADA,
    FISCHER_60_2,
    MOVE_5S,
    RoomPlay,
    against_engine,
    alone,
    engines,
    finished,
    new_room,
    offer,
    pair,
    stood_in,
)


def busy() -> RoomPlay:
    """A timed game of ultimate with an offer and mutings."""
    play = pair(variant="ultimate", clock=FISCHER_60_2)
    play.moves("e5", "d4", "a1")
    play.ask(ADA, Mute("c", "spectators", True))
    play.ask(ADA, offer("draw"))
    return play


def vanishing() -> RoomPlay:
    """A game in which marks have vanished."""
    play = pair(variant="vanishing", clock=MOVE_5S)
    play.moves("a1", "b1", "a2", "b2", "c3", "c1", "b3")
    return play


def encoded(value: object) -> bytes:
    """Return any value as MessagePack."""
    return msgspec.msgpack.encode(value)


PLAYS: list[Callable[[], RoomPlay]] = [pair, finished, stood_in, engines, against_engine, busy, vanishing]


@pytest.mark.parametrize("make", [alone, *PLAYS])
def test_a_room_survives_its_bytes(make: Callable[[], RoomPlay]) -> None:
    """A room that was written is read as an equal one, down to the keys of positions that may repeat."""
    room = make().room
    again = room_from(room_bytes(room))
    assert again == room
    assert room_bytes(again) == room_bytes(room)
    assert used_ms_in(room_bytes(room)) == room.used_ms
    assert used_ms_in(b"no room") == 0
    if room.game is not None and again.game is not None:
        assert game_from(game_bytes(room.game)) == room.game
        assert again.game.history.position == room.game.history.position
        assert again.game.history.outcome == room.game.history.outcome
        assert again.game.history.seen == room.game.history.seen


@pytest.mark.parametrize(
    "history",
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
def test_a_game_that_the_rules_forbid(history: object) -> None:
    """A room whose stored game is illegal, or no game, is not read."""
    fields: list[Any] = msgspec.msgpack.decode(room_bytes(pair().room))
    names = [field.name for field in msgspec.structs.fields(Room)]
    game = fields[names.index("game")]
    assert game[1] == ["classic", []]
    game[1] = history
    with pytest.raises(msgspec.ValidationError):
        room_from(encoded(fields))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xc1", b"noughts", room_bytes(new_room())[:-3]])
def test_bytes_that_are_no_room(data: bytes) -> None:
    """Anything else than a room raises a DecodeError."""
    with pytest.raises(msgspec.DecodeError):
        room_from(data)
    with pytest.raises(msgspec.DecodeError):
        game_from(data)


def test_a_field_of_a_newer_program() -> None:
    """A field that a newer program added at the end is passed over."""
    fields = msgspec.msgpack.decode(room_bytes(new_room()))
    assert room_from(encoded([*fields, "of tomorrow"])) == new_room()


def test_values_that_belong_to_no_room() -> None:
    """A value of another type is a fault, on writing and on reading."""
    with pytest.raises(NotImplementedError, match="complex is not part of a room"):
        room_bytes(1j)
    with pytest.raises(NotImplementedError, match="int is not part of a room"):
        read_history(int, 5)
    assert read_history(Game, ["classic", [4]]) == pair().game.history.play(4)


# --- newer bytes of a room that is held ---------------------------------------------------------------------------


def test_what_is_equal_is_the_same_object() -> None:
    """A comparison of the objects then says that nothing has changed."""
    play = pair()
    older = play.room
    play.moves("b2")
    again = room_from(room_bytes(play.room), older)
    assert again == play.room
    assert all(getattr(again, part) is getattr(older, part) for part in ("seats", "owner", "score"))
    assert room_from(room_bytes(play.room), alone().room) == play.room


def test_a_move_that_the_rules_forbid_is_rejected() -> None:
    play = pair()
    play.moves("b2", "a1")
    history = play.room.game.history if play.room.game else None
    assert history is not None
    data = room_bytes(play.room)
    written = encoded(["classic", list(history.moves)])
    assert written in data
    for moves in ([*history.moves, history.moves[0]], [*history.moves, 99], [-1]):
        with pytest.raises(msgspec.DecodeError):
            room_from(data.replace(written, encoded(["classic", moves])))
