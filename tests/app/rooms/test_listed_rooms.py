"""The rooms of the public lists: each is decoded when its bytes change, and other tasks run meanwhile."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from msgspec.structs import replace

from noughts.app.rooms.listed_rooms import COMPARED_AT_ONCE, DECODED_AT_ONCE, ListedRooms
from noughts.room.room import Room
from noughts.room.storage import room_bytes
from noughts.store.machine_store import ListedRow
from tests.support.long_rooms import long_rooms
from tests.support.node import Node


def rows(*rooms: Room) -> list[ListedRow]:
    return [ListedRow(room.id, room_bytes(room)) for room in rooms]


@pytest.fixture
def reader(node: Node) -> ListedRooms:
    return node.listed


async def read(reader: ListedRooms, listed: list[ListedRow]) -> list[Room]:
    return [room async for room, _ in reader.decoded(listed)]


async def turns_of(reader: ListedRooms, listed: list[ListedRow]) -> int:
    """Return how many turns the event loop makes while a list is read."""
    reading = asyncio.create_task(read(reader, listed))
    for turns in itertools.count():
        await asyncio.sleep(0)
        if reading.done():
            return turns
    raise AssertionError


async def test_a_room_is_decoded_once(reader: ListedRooms) -> None:
    listed = rows(*long_rooms(3))
    first, second = await read(reader, listed), await read(reader, listed)
    assert [id(room) for room in first] == [id(room) for room in second]
    assert first == long_rooms(3)


async def test_a_changed_room_is_read_as_it_is_now(reader: ListedRooms) -> None:
    (before,) = long_rooms(1)
    assert before.game is not None
    history = before.game.history
    after = replace(before, version=2, game=replace(before.game, history=history.play(history.legal()[0])))
    assert await read(reader, rows(before)) == [before]
    assert await read(reader, rows(after)) == [after]
    assert await read(reader, rows(before)) == [before]


async def test_a_room_that_cannot_be_read_is_skipped(reader: ListedRooms) -> None:
    one, other = long_rooms(2)
    assert await read(reader, rows(one)) == [one]
    assert await read(reader, [ListedRow(one.id, b"\x93no room"), *rows(other)]) == [other]


async def test_other_tasks_run_while_rooms_are_decoded(reader: ListedRooms) -> None:
    assert await turns_of(reader, rows(*long_rooms(10 * DECODED_AT_ONCE))) >= 10


async def test_other_tasks_run_while_rooms_are_compared(reader: ListedRooms) -> None:
    listed = rows(*long_rooms(4 * COMPARED_AT_ONCE))
    await read(reader, listed)
    assert 4 <= await turns_of(reader, listed) < len(listed) / DECODED_AT_ONCE


async def test_few_rooms_are_kept(node: Node) -> None:
    reader = ListedRooms(node.repository, node.store, most=2)
    listed = rows(*long_rooms(3))
    first, second = await read(reader, listed), await read(reader, listed)
    assert not {id(room) for room in first} & {id(room) for room in second}
