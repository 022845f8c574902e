"""The base of every frozen value that is stored, sent or passed between floors."""

from __future__ import annotations

from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, gc=False):
    """An immutable record. It holds no cycles, so the garbage collector need not track it."""


def snake_case(name: str) -> str:
    """Return a class's name as its tag on the wire: ``SeatEngine`` becomes ``seat_engine``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class Tagged(Value, tag_field="type", tag=snake_case):
    """A value that carries its own name in the field ``type``."""
