"""Bytes that schema 1 wrote become the same rooms and games in today's bytes.

``storage_v1.txt`` has a line for each: whether it is a room or a game, its name, and its bytes in hexadecimal. The program
that wrote schema 1 played the same commands at the same times as the functions of that name do here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from noughts.room.commands import Close, Mute
from noughts.room.storage import game_bytes, game_from, room_bytes, room_from
from noughts.room.storage_v1 import upgrade_game, upgrade_room
from tests.support.room_play import (
    ADA,
    BOB,
    FISCHER_60_2,
    MOVE_5S,
    RoomPlay,
    alone,
    answer,
    bob_away,
    engines,
    finished,
    offer,
    pair,
    stood_in,
)

LINES: Final = Path(__file__).with_name("storage_v1.txt").read_text().splitlines()
STORED: Final = {(kind, name): bytes.fromhex(data) for kind, name, data in map(str.split, LINES)}


def busy() -> RoomPlay:
    """A timed game of ultimate with mutings, an open offer and a declined one."""
    play = pair(variant="ultimate", clock=FISCHER_60_2, spectator_chat="between_games", visibility="public")
    play.moves("e5", "d4", "a1")
    play.wait(1_500)
    play.ask(ADA, Mute("c", "spectators", True))
    play.ask(ADA, Mute("c", "p_cat", True))
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", False))
    play.ask(BOB, offer("takeback"))
    return play


def vanishing() -> RoomPlay:
    """A timed game in which marks have vanished."""
    play = pair(variant="vanishing", clock=MOVE_5S)
    play.moves("a1", "b1", "a2", "b2", "c3", "c1", "b3")
    return play


def held() -> RoomPlay:
    """A game in which the engine stands in."""
    play = stood_in()
    play.moves("b2", "a1")
    return play


def second() -> RoomPlay:
    """The second game of a room, with a score."""
    play = pair()
    play.moves("a1", "a2", "b1", "b2", "c1")
    play.ask(ADA, offer("rematch"))
    play.ask(BOB, offer("rematch"))
    play.moves("b2")
    return play


def drawn() -> RoomPlay:
    """A game that ended by agreement."""
    play = pair()
    play.moves("b2")
    play.ask(ADA, offer("draw"))
    play.ask(BOB, answer("draw", True))
    return play


def closed() -> RoomPlay:
    """A closed room after a timed game."""
    play = finished(clock=FISCHER_60_2)
    play.ask(ADA, Close("c"))
    return play


def line() -> RoomPlay:
    """A game that ended with a line, in a cube."""
    play = pair(variant="qubic")
    play.moves("a1.1", "a2.1", "b1.1", "b2.1", "c1.1", "c2.1", "d1.1")
    return play


ROOMS: Final[dict[str, Callable[[], RoomPlay]]] = {
    "alone": alone,
    "busy": busy,
    "vanishing": vanishing,
    "claimable": bob_away,
    "held": held,
    "second": second,
    "drawn": drawn,
    "closed": closed,
    "line": line,
    "engines": engines,
}
GAMES: Final[dict[str, Callable[[], RoomPlay]]] = {"line": line, "drawn": drawn, "finished": finished}


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_of_schema_1(name: str) -> None:
    """A room that schema 1 wrote is the room that the same commands make today."""
    data = upgrade_room(STORED["room", name])
    room = ROOMS[name]().room
    assert room_from(data) == room
    assert data == room_bytes(room)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_of_schema_1(name: str) -> None:
    """A finished game that schema 1 wrote is the game that the same commands make today."""
    data = upgrade_game(STORED["game", name])
    game = GAMES[name]().game
    assert game_from(data) == game
    assert data == game_bytes(game)


def test_every_line_is_used() -> None:
    """Every line of the file has a test above."""
    assert set(STORED) == {("room", name) for name in ROOMS} | {("game", name) for name in GAMES}


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80", b"noughts", STORED["room", "busy"][:-3]])
def test_bytes_that_schema_1_did_not_write(data: bytes) -> None:
    """Anything else raises a DecodeError."""
    with pytest.raises(msgspec.DecodeError):
        upgrade_room(data)
    with pytest.raises(msgspec.DecodeError):
        upgrade_game(data)


def test_an_illegal_game_of_schema_1() -> None:
    """A game that the rules forbid is not upgraded."""
    fields = msgspec.msgpack.decode(STORED["game", "drawn"])
    assert fields["play"] == ["classic", [4]]
    fields["play"] = ["classic", [4, 4]]
    with pytest.raises(msgspec.ValidationError):
        upgrade_game(msgspec.msgpack.encode(fields))


def test_todays_bytes_are_not_upgraded_twice() -> None:
    """Bytes of today are no room of schema 1."""
    with pytest.raises(msgspec.DecodeError):
        upgrade_room(upgrade_room(STORED["room", "alone"]))
    with pytest.raises(msgspec.DecodeError):
        upgrade_game(upgrade_game(STORED["game", "line"]))
