"""The rooms of the public lists, decoded. The lists are read often, so a room is decoded again only if its bytes changed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from noughts.app.machines.repository import Repository, UnreadableError
from noughts.room.room import Room
from noughts.store.machine_store import ListedRow, Listing, MachineStore
from noughts.store.presence import RoomPresence

MAX_KEPT: Final = 2_048
"""Rooms that are kept decoded, enough for both lists of the lobby. The least recently read are evicted."""
DECODED_AT_ONCE: Final = 4
"""Rooms that are decoded in one turn of the event loop. A long game takes 0.2 ms."""
COMPARED_AT_ONCE: Final = 100
"""Rooms that the caller gets in one turn of the event loop. It looks at the presence of each."""


class ListedRooms:
    """Decodes the rooms of a list, some in each turn of the event loop. Skips those that cannot be read."""

    def __init__(self, repository: Repository[Room], rooms: MachineStore, *, most: int = MAX_KEPT) -> None:
        self._most = most
        self._repository = repository
        self._store = rooms
        self._rooms: OrderedDict[str, tuple[bytes, Room]] = OrderedDict()

    async def read(
        self, listing: Listing, variant: str | None, limit: int
    ) -> AsyncGenerator[tuple[Room, RoomPresence | None]]:
        """Read a public list, newest first. Yield the rooms in it that can be read, with their presence.

        Raise ``StoreUnavailableError``.
        """
        async for listed in self.decoded(await self._store.listed(listing, variant, limit)):
            yield listed

    async def decoded(self, rows: Sequence[ListedRow]) -> AsyncGenerator[tuple[Room, RoomPresence | None]]:
        """Yield the rooms in these rows, with their presence."""
        decoded = 0
        for number, (room_id, data, presence) in enumerate(rows, 1):
            kept = self._rooms.get(room_id)
            if kept is not None and kept[0] == data:
                self._rooms.move_to_end(room_id)
                yield kept[1], presence
            else:
                decoded += 1
                try:
                    room = self._decode(room_id, data)
                except UnreadableError as error:
                    self._repository.note_unreadable(room_id, str(error))
                else:
                    yield room, presence
            if number % COMPARED_AT_ONCE == 0 or decoded == DECODED_AT_ONCE:
                decoded = 0
                await asyncio.sleep(0)

    def _decode(self, room_id: str, data: bytes) -> Room:
        kept = self._rooms.get(room_id)
        room = self._repository.decode(data, None if kept is None else kept[1])
        self._rooms[room_id] = (data, room)
        self._rooms.move_to_end(room_id)
        if len(self._rooms) > self._most:
            self._rooms.popitem(last=False)
        return room
