"""The events of a change as bytes, for the other nodes that hold the room."""

from __future__ import annotations

from typing import Final

import msgspec

from noughts.room.events import Event

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(tuple[Event, ...]).decode


def news_bytes(events: tuple[Event, ...]) -> bytes:
    """Return events as bytes."""
    return _encode(events)


def news_from(data: bytes | None) -> tuple[Event, ...]:
    """Return the events in the bytes of another node; none for events that only a newer program knows."""
    try:
        return _decode(data) if data is not None else ()
    except msgspec.DecodeError:
        return ()
