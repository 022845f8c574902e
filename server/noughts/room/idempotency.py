"""The ids of the commands that a room answered ok, so that a command sent again has no second effect.

They are stored with the room as msgpack. The outer map has an inner map for each player. The inner map has the player's ids,
oldest first, each with the version in its answer. All of it is written with each move, so each player's part is kept
encoded, and a new id is appended to it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Final, TypeAlias

import msgspec

IDS_KEPT: Final = 64
"""At least this many of each player's newest ids are kept."""
IDS_BEFORE_CUT: Final = 96
"""A player with this many ids is cut back before the next one is added, so that the cut is rare."""
MAX_BYTES: Final = 32 * 1024
"""The size of all ids of a room above which some players without a seat lose theirs."""
MAX_PLAIN_ID: Final = 31
"""The most characters of an id that is kept as it is. A longer one is kept as its hash, which has 32."""

CommandKey: TypeAlias = tuple[str, str]
"""A player, and the id of a command of that player."""

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(dict[str, dict[str, int]]).decode


def command_key(player: str, id: str) -> CommandKey:
    """Return a player, and the id of a command of that player in the form in which it is kept: at most 32 bytes."""
    if len(id) <= MAX_PLAIN_ID and id.isascii():
        return player, id
    return player, hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


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

    def version(self, key: CommandKey) -> int | None:
        """Return the version that a command was answered with; None if it was not answered ok, or too long ago."""
        player, id = key
        ids = self._players.get(player)
        return None if ids is None else ids.versions.get(id)

    def versions(self) -> dict[str, dict[str, int]]:
        """Return the ids of each player with their versions."""
        return {player: dict(ids.versions) for player, ids in self._players.items()}

    def add(self, key: CommandKey, version: int) -> None:
        """Keep an id as the player's newest. Raise ``UnicodeEncodeError`` for text that has no UTF-8 form."""
        player, id = key
        ids = self._players.get(player)
        if ids is None:
            self._append(player, _PlayerIds(player, {id: version}))
        else:
            ids.add(id, version)

    def encoded(self) -> bytes:
        """Return all ids as bytes."""
        return b"".join(self._parts)

    def cut(self, kept: Collection[str]) -> None:
        """Drop the ids of players until the rest takes half of :data:`MAX_BYTES`, but of none of the ``kept`` players.

        The first to go is the player whose last command was answered with the lowest version.
        """
        players, size = self._players, sum(map(len, self._parts))
        others = [player for player in players if player not in kept]
        for player in sorted(others, key=lambda player: players[player].newest):
            if size <= MAX_BYTES // 2:
                break
            size -= len(players.pop(player).part)
        self._parts = [_map_header(len(players)), *[ids.part for ids in players.values()]]

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

    @property
    def newest(self) -> int:
        """The version in the answer to the player's last command."""
        return next(reversed(self.versions.values()))

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
        """Write the part again, in place: the room's list of parts refers to it."""
        size, versions = len(self.versions), _encode(self.versions)
        # The encoder gives a map of up to 15 ids a head of one byte, and a larger one a head of three.
        entries = versions[1 if size < 16 else 3 :]
        self.part[:] = b"".join([self._prefix, size.to_bytes(1), entries])


def _map_header(size: int) -> bytes:
    return b"\xdf" + size.to_bytes(4)  # map 32
