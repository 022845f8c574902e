"""A room as bytes, for a store, and back. Written as its fields; a game in it as its variant and moves, and read by
replaying them, so that what a store holds can only be a game that the rules allow."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from noughts.errors import Rejection
from noughts.room.room import NOBODY, CurrentGame, Room
from noughts.rules.game import Game, replay
from noughts.rules.variant import variant_named

SCHEMA: Final = 1
"""Rises when what is stored changes in a way that an older program could not read."""


def _write(value: object) -> object:
    if isinstance(value, Game):
        return (value.variant.key, value.moves)
    raise NotImplementedError(f"a {type(value).__name__} is not part of a room")


def _read(kind: type, value: Any) -> object:
    if kind is Game:
        try:
            key, moves = value
            variant = variant_named(key)
            if not all(isinstance(cell, int) and 0 <= cell < variant.cells for cell in moves):
                raise ValueError("a move to no cell of the board")
            return replay(variant, moves)
        except (TypeError, Rejection) as wrong:
            raise ValueError(f"not a game: {wrong}") from None
    raise NotImplementedError(f"a {kind.__name__} is not part of a room")


_encoder: Final = msgspec.msgpack.Encoder(enc_hook=_write)
_room: Final = msgspec.msgpack.Decoder(Room, dec_hook=_read)
_game: Final = msgspec.msgpack.Decoder(CurrentGame, dec_hook=_read)


def room_bytes(room: Room) -> bytes:
    """The durable part of a room: everything but who is connected."""
    return _encoder.encode(msgspec.structs.replace(room, presence=NOBODY))


def room_from(data: bytes) -> Room:
    """The room that :func:`room_bytes` wrote, with nobody connected. Raises ``msgspec.DecodeError``."""
    return _room.decode(data)


def game_bytes(game: CurrentGame) -> bytes:
    """A finished game, as it is kept beside its room."""
    return _encoder.encode(game)


def game_from(data: bytes) -> CurrentGame:
    """The game that :func:`game_bytes` wrote."""
    return _game.decode(data)
