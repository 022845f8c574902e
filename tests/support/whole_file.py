"""A data file with something in every table, whose rooms and games can be decoded."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec.structs import replace

from noughts.app.rooms.kind import index_entry
from noughts.room.commands import Move, Request, Resign, Sit
from noughts.room.creation import new_room
from noughts.room.downtime import Downtime
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.room.storage import game_bytes, room_bytes
from noughts.room.transition import Moment
from noughts.rules.variant import VARIANTS
from noughts.store.contract import StoredPlayer
from noughts.store.machine_store import Change, Line
from noughts.store.sqlite.store import SqliteStore
from tests.support.commits import answered, commit
from tests.support.manual_clock import START_MS

POLICY: Final = Policy(levels={})
MOMENT: Final = Moment(START_MS, POLICY, Presence(connections=2))
ROOMS: Final = 40


def a_game(room_id: str, owner: Person, guest: Person) -> Room:
    """Return a room in which a long game is on."""
    room = new_room(
        room_id=room_id,
        invite="secret",
        owner=owner.nameless,
        variant=VARIANTS["gomoku"],
        opponent="anyone",
        mark="X",
        engines=(),
        clock=None,
        visibility="public",
        now_ms=START_MS,
    )
    room = step(room, Request(guest, Sit("sit", "O")), MOMENT).room
    for ply, cell in enumerate(("a1", "c2", "e3", "g4", "i5", "k6")):
        room = step(room, Request((owner, guest)[ply % 2], Move(f"m{ply}", ply, cell)), MOMENT).room
    return room


async def fill(path: Path, rooms: int = ROOMS) -> None:
    """Write guests, rooms, finished games, chat lines, bans, codes and downtime to a new file."""
    store = SqliteStore(path)
    await store.open()
    for number in range(rooms):
        people = [Person(f"p_{number}_{side}", f"Name {number}") for side in "ab"]
        for person in people:
            await store.add_player(StoredPlayer(person.player, person.name, START_MS), f"hash {person.player}".encode())
        room = a_game(f"room{number}", *people)
        over = step(room, Request(people[0], Resign("r")), MOMENT).room
        entry = index_entry(room, POLICY)
        assert over.game is not None
        ids = answered(*[(people[0].player, f"m{n}", n) for n in range(12)])
        await commit(store, Change(room.id, 0, 1, room_bytes(replace(room, version=1)), entry, command_ids=ids))
        await commit(
            store, Change(room.id, 1, 2, room_bytes(room), records=((1, game_bytes(over.game)),), command_ids=ids)
        )
        for text in ("hello", "a line that is somewhat longer " * 6):
            await commit(store, Change(room.id, 2, 2, line=Line(0, START_MS, people[0].player, "X", text, 3)))
    await store.add_resume_code(b"code", "p_1_a", START_MS)
    await store.ban("203.0.113.9")
    await store.add_downtime(Downtime(START_MS, START_MS + 5_000))
    await commit(store, Change("room0", 2, 3, closes=True))
    await store.delete_player("p_2_b")
    await store.close()
