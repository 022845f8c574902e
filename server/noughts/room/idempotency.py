"""The ids of the commands that a room answered ok, so that a command sent again has no second effect.

They are stored with the room as msgpack. The outer map has an inner map for each player. The inner map has the player's ids,
oldest first, each with the version in its answer. All of it is written with each move, so each player's part is kept
encoded, and a new id is appended to it.
"""

from __future__ import annotations

from typing import Final

import msgspec

IDS_KEPT: Final = 64
"""At least this many of each player's newest ids are kept."""
IDS_BEFORE_CUT: Final = 96
"""A player with this many ids is cut back before the next one is added, so that the cut is rare."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(dict[str, dict[str, int]]).decode


class IdempotencyKeys:
    """The answered ids of one room. Mutable: only the actor of the room changes it."""

    __slots__ = ("_parts", "_players")

    def __init__(self) -> None:
        self._players: dict[str, _PlayerIds] = {}
        self._parts: list[bytes | bytearray] = [_map_header(0)]
        """The head of the outer map, then one part for each player."""

    @classmethod
    def decoded(cls, data: bytes) -> IdempotencyKeys:
        """Read what :meth:`encoded` wrote; no bytes at all mean no ids. Raise ``msgspec.MsgspecError`` for other bytes."""
        ids = cls()
        if data:
            for player, versions in _decode(data).items():
                ids._append(player, _PlayerIds(player, versions))
        return ids

    def version(self, player: str, id: str) -> int | None:
        """Return the version that a command was answered with; None if it was not answered ok, or too long ago."""
        ids = self._players.get(player)
        return None if ids is None else ids.versions.get(id)

    def versions(self) -> dict[str, dict[str, int]]:
        """Return the ids of each player with their versions."""
        return {player: dict(ids.versions) for player, ids in self._players.items()}

    def add(self, player: str, id: str, version: int) -> None:
        """Keep an id as the player's newest. Raise ``UnicodeEncodeError`` for text that has no UTF-8 form."""
        ids = self._players.get(player)
        if ids is None:
            self._append(player, _PlayerIds(player, {id: version}))
        else:
            ids.add(id, version)

    def encoded(self) -> bytes:
        """Return all ids as bytes."""
        return b"".join(self._parts)

    def _append(self, player: str, ids: _PlayerIds) -> None:
        self._players[player] = ids
        self._parts.append(ids.part)
        self._parts[0] = _map_header(len(self._players))


class _PlayerIds:
    """One player's ids and their encoded part.

    The part is the player as text, the head of a map with the number of ids in two bytes, then each id and its version.
    """

    __slots__ = ("_prefix", "part", "versions")

    def __init__(self, player: str, versions: dict[str, int]) -> None:
        self.versions = versions
        self._prefix = _encode(player) + b"\xde\0"  # map 16: two bytes of size follow, the first always 0
        self.part = bytearray()
        self._write_part()

    def add(self, id: str, version: int) -> None:
        versions = self.versions
        if len(versions) >= IDS_BEFORE_CUT or id in versions:
            versions.pop(id, None)
            self.versions = dict(list(versions.items())[1 - IDS_KEPT :])
            self.versions[id] = version
            self._write_part()
            return
        entry = _encode((id, version))
        versions[id] = version
        self.part += entry[1:]  # without the byte that begins a pair
        self.part[len(self._prefix)] = len(versions)

    def _write_part(self) -> None:
        """Write the part anew, in place: the room's list of parts refers to it."""
        size, versions = len(self.versions), _encode(self.versions)
        # The encoder gives a map of up to 15 ids a head of one byte, and a larger one a head of three.
        entries = versions[1 if size < 16 else 3 :]
        self.part[:] = b"".join([self._prefix, size.to_bytes(1), entries])


def _map_header(size: int) -> bytes:
    return b"\xdf" + size.to_bytes(4)  # map 32
