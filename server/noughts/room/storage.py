"""A room as bytes, for a store, and back.

A room is written as an array of its fields. A game in it is written as its variant and moves, and read by replaying them,
so that a game which the rules do not allow cannot be loaded.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.room import Room, RoomGame
from noughts.rules.game import Game, replay
from noughts.rules.variant import variant_named
from noughts.values import Value


def _write(value: object) -> object:
    if isinstance(value, Game):
        return (value.variant.key, value.moves)
    raise NotImplementedError(f"a {type(value).__name__} is not part of a room")


def read_history(kind: type, value: Any) -> Game:
    """Return the game that a variant's key and moves make, for a decoder. Raise ValueError for anything else."""
    if kind is not Game:
        raise NotImplementedError(f"a {kind.__name__} is not part of a room")
    try:
        key, moves = value
        variant = variant_named(key)
        if not all(isinstance(cell, int) and 0 <= cell < variant.cells for cell in moves):
            raise ValueError("a move names no cell of the board")
        return replay(variant, moves)
    except (TypeError, Rejection) as error:
        raise ValueError(f"not a game: {error}") from None


class _Head(Value, array_like=True):
    """The first fields of a room. The decoder leaves out the rest."""

    id: str
    version: int
    variant: str
    visibility: str
    owner: msgspec.Raw
    created_ms: int
    used_ms: int


_head: Final = msgspec.msgpack.Decoder(_Head)


def used_ms_in(data: bytes) -> int:
    """Return the time of a room's last change, without the rest of the room; 0 if it cannot be decoded."""
    try:
        return _head.decode(data).used_ms
    except msgspec.DecodeError:
        return 0


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_write)
_room: Final = msgspec.msgpack.Decoder(Room, dec_hook=read_history)
_game: Final = msgspec.msgpack.Decoder(RoomGame, dec_hook=read_history)

room_bytes: Final = _encoder.encode
"""Return a room as bytes."""


def room_from(data: bytes, current: Room | None = None) -> Room:
    """Return the room that :func:`room_bytes` wrote. Raise ``msgspec.DecodeError``.

    Seats, owner and score are the objects of ``current``, an older state of the room, where they are equal. So a comparison
    of the objects says that nothing has changed.
    """
    room = _room.decode(data)
    if current is None or (room.seats, room.owner, room.score) != (current.seats, current.owner, current.score):
        return room
    return replace(room, seats=current.seats, owner=current.owner, score=current.score)


def game_bytes(game: RoomGame) -> bytes:
    """Return a finished game as bytes, for the record that is stored with its room."""
    return _encoder.encode(game)


def game_from(data: bytes) -> RoomGame:
    """Return the game that :func:`game_bytes` wrote. Raise ``msgspec.DecodeError``."""
    return _game.decode(data)
