"""The ids of the commands that a room answered ok, so that a command sent again has no second effect.

They are stored with the room as msgpack: a map with a map for each player, which has the player's ids, oldest first, each
with the version in its answer. All of it is written with each move, so the map of each player is kept encoded.
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
    """The ids of the commands that one room answered ok. Mutable: only the room's actor changes it."""

    __slots__ = ("_parts", "_versions")

    def __init__(self, versions: dict[str, dict[str, int]] | None = None) -> None:
        self._versions = versions or {}
        self._parts = {player: _part(ids) for player, ids in self._versions.items()}

    @classmethod
    def decoded(cls, data: bytes) -> IdempotencyKeys:
        """Read what :meth:`encoded` wrote; no bytes at all mean no ids. Raise ``msgspec.MsgspecError`` for other bytes."""
        return cls(_decode(data) if data else None)

    def version(self, key: CommandKey) -> int | None:
        """Return the version that a command was answered with; None if it was not answered ok, or too long ago."""
        player, id = key
        ids = self._versions.get(player)
        return None if ids is None else ids.get(id)

    def versions(self) -> dict[str, dict[str, int]]:
        """Return the ids of each player with their versions."""
        return {player: dict(ids) for player, ids in self._versions.items()}

    def add(self, key: CommandKey, version: int) -> None:
        """Keep an id as the player's newest. Raise ``UnicodeEncodeError`` for text that has no UTF-8 form."""
        player, id = key
        entry = _encode((id, version))[1:]  # without the byte that begins a pair
        ids = self._versions.setdefault(player, {})
        if len(ids) >= IDS_BEFORE_CUT or id in ids:
            ids.pop(id, None)
            ids = self._versions[player] = {**dict(list(ids.items())[1 - IDS_KEPT :]), id: version}
            self._parts[player] = _part(ids)
        else:
            ids[id] = version
            entries = bytes(self._parts.get(player, b""))[_HEAD_SIZE:]
            self._parts[player] = msgspec.Raw(_HEADS[len(ids)] + entries + entry)

    def encoded(self) -> bytes:
        """Return all ids as bytes."""
        return _encode(self._parts)

    def shorten(self, most: int) -> None:
        """Keep only this many of each player's newest ids."""
        self._versions = {player: dict(list(ids.items())[-most:]) for player, ids in self._versions.items()}
        self._parts = {player: _part(ids) for player, ids in self._versions.items()}

    def cut(self, kept: Collection[str]) -> None:
        """Drop the ids of players until the rest takes half of :data:`MAX_BYTES`, but of none of the ``kept`` players.

        The first to go is the player whose last command was answered with the lowest version.
        """
        size = len(self.encoded())
        others = [player for player in self._versions if player not in kept]
        for player in sorted(others, key=lambda player: next(reversed(self._versions[player].values()))):
            if size <= MAX_BYTES // 2:
                break
            del self._versions[player]
            size -= len(_encode({player: self._parts.pop(player)}))


_HEADS: Final = tuple([b"\xde" + size.to_bytes(2) for size in range(IDS_BEFORE_CUT + 1)])
"""The head of a map with this many ids, in the form that has two bytes for the number (map 16)."""
_HEAD_SIZE: Final = 3


def _part(ids: dict[str, int]) -> msgspec.Raw:
    """Return a player's map with a head of :data:`_HEADS`. The encoder writes a shorter head for fewer than 16 ids."""
    whole = _encode(ids)
    return msgspec.Raw(whole if len(ids) >= 16 else _HEADS[len(ids)] + whole[1:])
