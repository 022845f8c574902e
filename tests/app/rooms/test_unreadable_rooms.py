"""Bytes that are no room, and the log of the rooms that have such bytes."""

from __future__ import annotations

from random import Random

import pytest

from noughts.app.rooms import unreadable_rooms
from noughts.app.rooms.unreadable_rooms import (
    UnreadableRejection,
    UnreadableRoomError,
    UnreadableRooms,
    read_newer_room,
    read_room,
)
from noughts.protocol.views import open_room
from noughts.room.creation import new_room
from noughts.room.room import Room
from noughts.room.storage import RoomReader, room_bytes
from tests.support.manual_clock import START_MS
from tests.support.node import ANN, CLASSIC


def a_room() -> Room:
    return new_room(
        room_id="r1",
        invite="secret",
        owner=ANN,
        variant=CLASSIC,
        opponent="anyone",
        mark="X",
        engines=(),
        clock=None,
        visibility="public",
        now_ms=START_MS,
    )


@pytest.mark.parametrize("data", [b"", b"no room", room_bytes(a_room())[:-5], b"\x93\xa1\xff"])
def test_bytes_that_are_no_room_are_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadableRoomError):
        read_room(data)


def test_an_error_quotes_nothing_of_a_room() -> None:
    """The log gets its text, and a room holds the secret of its invite."""
    room = a_room()
    data = room_bytes(room).replace(b"public", b"secret")
    with pytest.raises(UnreadableRoomError, match=r"^ValidationError$"):
        read_room(data)
    with pytest.raises(UnreadableRoomError, match=r"^ValidationError$"):
        read_newer_room(RoomReader(), data, room)


def test_bytes_with_random_changes_are_a_room_or_unreadable() -> None:
    """No other exception reaches the lobby, which would answer everybody with it."""
    random, data = Random(3), room_bytes(a_room())
    unreadable = 0
    for _ in range(5_000):
        changed = bytearray(data)
        for _ in range(random.choice((1, 2, 8))):
            changed[random.randrange(len(changed))] = random.randrange(256)
        try:
            open_room(read_room(bytes(changed)))
        except UnreadableRoomError:
            unreadable += 1
    assert 1_000 < unreadable < 5_000


def test_a_room_is_logged_once(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """But the memory for it is bounded."""
    monkeypatch.setattr(unreadable_rooms, "MAX_LOGGED", 2)
    rooms = UnreadableRooms()
    for room_id in ("r1", "r1", "r2", "r1", "r3", "r3"):
        rooms.note(room_id, "no room")
    text = capsys.readouterr().out
    assert [text.count(room_id) for room_id in ("r1", "r2", "r3")] == [1, 1, 1]
    assert "`noughts close` removes it" in text


def test_a_client_learns_that_waiting_does_not_help() -> None:
    rejection = UnreadableRejection()
    assert (rejection.code, rejection.retry_ms) == ("unavailable", 60_000)
    assert rejection.message == "This room cannot be read: make a new one."
