"""The ids of the commands that a value answered ok, so that a command sent again has no second effect.

They are stored with the value as msgpack: a map with a map for each player, which has the player's ids, oldest first, each
with the version in its answer. One rule says which ids stay, here and in ``store/redis/lua/commit.lua``: :meth:`cut`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Final, TypeAlias

import msgspec

MAX_IDS: Final = 256
"""The most ids that stay after a cut. Only the value's own players can have more: see :data:`LEAST_IDS`."""
IDS_KEPT: Final = 64
"""The most ids of one player that stay after a cut. The own players of a room, at most three, always keep that many."""
LEAST_IDS: Final = 8
"""Each own player of a value keeps that many of its newest ids, also where the value has 512 players, as a tournament."""
CUT_EVERY: Final = 64
"""The ids are cut when their number reaches a multiple of this, so that the cut is rare."""
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
    """The ids of the commands that one value answered ok. Mutable: only the value's actor changes it."""

    __slots__ = ("_count", "_maps", "_parts", "_versions", "overfull")

    def __init__(self, versions: dict[str, dict[str, int]] | None = None) -> None:
        self.overfull = False
        """Whether it is time to :meth:`cut`."""
        self._write(versions or {})

    def _write(self, versions: dict[str, dict[str, int]]) -> None:
        self._versions = versions
        self._count = sum(map(len, versions.values()))
        self._maps: dict[str, bytearray] = {}
        """The encoded map of each player's ids. A new id is appended in place."""
        self._parts: list[bytes | bytearray] = [b""]
        """All that is stored: the head, then each player with the map."""
        for player, ids in versions.items():
            self._append(player, ids)

    def _append(self, player: str, ids: dict[str, int]) -> None:
        self._maps[player] = part = bytearray(_map_of(ids))
        self._parts += (_encode(player), part)
        self._parts[0] = _head(len(self._maps))

    @classmethod
    def decoded(cls, data: bytes) -> IdempotencyKeys:
        """Read what :meth:`encoded` wrote; no bytes at all mean no ids. Raise ``msgspec.MsgspecError`` for other bytes."""
        return cls(_decode(data) if data else None)

    def version(self, key: CommandKey) -> int | None:
        """Return the version that a command was answered with; None if it was not answered ok, or too long ago."""
        player, id = key
        ids = self._versions.get(player)
        return None if ids is None else ids.get(id)

    def add(self, key: CommandKey, version: int) -> bytes:
        """Add an id as the player's newest. Return all ids as bytes.

        Raise ``UnicodeEncodeError`` for text that has no UTF-8 form, and add nothing.
        """
        player, id = key
        entry = _entry(id, version)
        ids = self._versions.get(player)
        if ids is None:
            ids = self._versions[player] = {id: version}
            self._append(player, ids)
        elif id in ids:
            del ids[id]
            ids[id] = version
            self._maps[player][:] = _map_of(ids)
            return self.encoded()
        else:
            ids[id] = version
            part = self._maps[player]
            part += entry
            part[1], part[2] = divmod(len(ids), 256)
        self._count += 1
        self.overfull = self._count % CUT_EVERY == 0
        return self.encoded()

    def encoded(self) -> bytes:
        """Return all ids as bytes."""
        return b"".join(self._parts)

    def cut(self, players: Collection[str]) -> None:
        """Keep the newest ids of each player. Ids of others than the value's own ``players`` stay only while they fit.

        Each player keeps at most :data:`IDS_KEPT`. More than four own players share :data:`MAX_IDS`.
        """
        own = frozenset(players)
        share = max(LEAST_IDS, min(IDS_KEPT, MAX_IDS // max(1, len(own))))
        kept = {
            player: ids if len(ids) <= share else dict(list(ids.items())[-share:])
            for player, ids in self._versions.items()
        }
        if sum(map(len, kept.values())) > MAX_IDS:
            kept = _newest(kept, own)
        self.overfull = False
        self._write(kept)


def _newest(versions: dict[str, dict[str, int]], own: Collection[str]) -> dict[str, dict[str, int]]:
    """Return the ids of the own players, and of the others the newest while there are at most :data:`MAX_IDS` in all."""
    entries = [(version, player, id) for player, ids in versions.items() for id, version in ids.items()]
    entries.sort(key=lambda entry: entry[0])
    kept: list[tuple[int, str, str]] = []
    for version, player, id in reversed(entries):
        if len(kept) < MAX_IDS or player in own:
            kept.append((version, player, id))
    newest: dict[str, dict[str, int]] = {}
    for version, player, id in reversed(kept):
        newest.setdefault(player, {})[id] = version
    return newest


def _map_of(ids: dict[str, int]) -> bytes:
    return b"".join([_head(len(ids)), *[_entry(id, version) for id, version in ids.items()]])


def _head(count: int) -> bytes:
    """Return the three bytes before the entries of a msgpack map."""
    return b"\xde" + count.to_bytes(2, "big")


def _entry(id: str, version: int) -> bytes:
    return _encode((id, version))[1:]  # an entry of a map is a list of two without the list's first byte
