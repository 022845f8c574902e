"""What every store promises about rooms: compare and set, and all that comes with a change. Answers: ``test_commits.py``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from noughts.store.contract import Store
from noughts.store.kinds import TOURNAMENT
from noughts.store.machine_store import Change, Conflict, Due, IndexEntry, ListedRow, Stored, StoredRow
from tests.store.conftest import Contents, OpenStore
from tests.support.commits import INDEX, LINE, answered, chat, commit, commit_all, new_room, next_version

NOW_MS = int(time.time() * 1_000)


def contents_of(rooms: Sequence[ListedRow]) -> list[tuple[str, bytes]]:
    """Return the ids and bytes of listed rooms, without the presence that a shared store keeps."""
    return [(room.id, room.data) for room in rooms]


# --- compare and set ----------------------------------------------------------------------------------------------


async def test_a_version_may_rise_by_more_than_one(store: Store) -> None:
    """A command and what was due before it are one change."""
    await commit(store, new_room())
    assert await commit(store, Change("r1", 1, 3, data=b"three")) == Stored(3)
    assert await commit(store, next_version(4)) == Stored(4)


async def test_an_unknown_room(store: Store) -> None:
    assert await store.load("nowhere") is None
    assert await store.record("nowhere", 1) is None
    for change in (
        next_version(2, room="nowhere"),
        next_version(2, room="nowhere", index_entry=INDEX),
        next_version(2, room="nowhere", command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 2))),
        chat(1, room="nowhere"),
        Change("nowhere", 1, 1, command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 1))),
        Change("nowhere", 1, 2, closes=True),
    ):
        assert await commit(store, change) == Conflict(None)
    assert await store.load("nowhere") is None
    assert list(await store.ids_of("p_ann")) == []


async def test_a_room_is_created_once(store: Store) -> None:
    await commit(store, new_room())
    conflict = await commit(store, new_room(data=b"another", index_entry=INDEX._replace(players=("p_ben",))))
    assert conflict == Conflict(await store.load("r1"))
    assert await store.load("r1") == (1, b"one", b"", ())
    assert list(await store.ids_of("p_ben")) == []


@pytest.mark.parametrize("expected", [1, 3])
@pytest.mark.parametrize("fields", [{}, {"index_entry": INDEX}, {"records": ((1, b"game"),)}, {"closes": True}])
async def test_another_version_is_a_conflict(store: Store, expected: int, fields: dict[str, Any]) -> None:
    """The answer carries the stored room, so that the caller can go on from it."""
    await commit(store, new_room())
    await commit(store, next_version(2, data=b"two", command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 2))))
    await commit(store, chat(2))
    late = Change("r1", expected, expected + 1, data=b"late", **fields)
    room = StoredRow(2, b"two", answered(("p_ann", "c1", 2)), (LINE._replace(n=1),))
    assert await commit(store, late) == Conflict(room)
    assert await store.load("r1") == room


async def test_a_conflict_writes_nothing(store: Store, contents: Contents) -> None:
    await commit(store, new_room())
    await commit(store, next_version(2, command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 2))))
    before = await contents()
    late = Change(
        "r1",
        1,
        2,
        data=b"late",
        index_entry=IndexEntry(5, "live", "misere", ("p_ben",)),
        command=("p_ben", "late"),
        command_ids=answered(("p_ben", "late", 2)),
        records=((1, b"game"),),
    )
    assert isinstance(await commit(store, late), Conflict)
    assert isinstance(await commit(store, replace(late, data=None, index_entry=None, records=(), line=LINE)), Conflict)
    assert isinstance(await commit(store, replace(late, closes=True)), Conflict)
    assert await contents() == before


async def test_of_many_at_one_version_one_is_stored(store: Store) -> None:
    await commit(store, new_room())
    answers = await commit_all(store, [next_version(2, data=str(i).encode()) for i in range(50)])
    assert answers[0] == Stored(2)
    assert answers[1:] == [Conflict(await store.load("r1"))] * 49
    assert await store.load("r1") == (2, b"0", b"", ())


async def test_changes_in_sequence_are_all_stored(store: Store) -> None:
    """A change may expect the version of another one that was submitted in the same turn."""
    changes = [new_room(), new_room("r2")]
    for version in range(2, 30):
        changes += [next_version(version), next_version(version, "r2", index_entry=INDEX._replace(wake_at_ms=version))]
    assert await commit_all(store, changes) == [Stored(change.version) for change in changes]
    assert await store.load("r1") == (29, b"more", b"", ())


# --- chat ---------------------------------------------------------------------------------------------------------


async def test_the_store_numbers_chat_lines_from_1(store: Store) -> None:
    """Several nodes write lines at once; the number in the change means nothing."""
    await commit_all(store, [new_room("r1"), new_room("r2")])
    lines = [chat(1, room, LINE._replace(n=77, text=f"{room} {i}")) for i in range(1, 13) for room in ("r1", "r2")]
    assert await commit_all(store, lines) == [Stored(1, n) for n in range(1, 13) for _ in range(2)]
    room = await store.load("r2")
    assert room is not None
    assert [(line.n, line.text) for line in room.lines] == [(i, f"r2 {i}") for i in range(1, 13)]


async def test_the_newest_hundred_lines_are_loaded(store: Store) -> None:
    await commit(store, new_room())
    await commit_all(store, [chat(1, line=LINE._replace(text=f"line {n}")) for n in range(1, 121)])
    room = await store.load("r1")
    assert room is not None
    assert [line.n for line in room.lines] == list(range(21, 121))
    assert room.lines[0] == LINE._replace(n=21, text="line 21")


async def test_rooms_are_found_by_who_wrote_in_them(store: Store) -> None:
    """Until they are closed, or the player is deleted."""
    await commit_all(store, [new_room("r1"), new_room("r2")])
    lines = [
        chat(1, room, LINE._replace(player=player))
        for room, player in [("r1", "p_cat"), ("r2", "p_cat"), ("r2", "p_ann")]
    ]
    await commit_all(store, lines)
    assert [sorted(await store.ids_with_lines_of(id)) for id in ("p_cat", "p_ann", "p_ben")] == [
        ["r1", "r2"],
        ["r2"],
        [],
    ]
    await commit(store, Change("r2", 1, 2, closes=True))
    assert [list(await store.ids_with_lines_of(id)) for id in ("p_cat", "p_ann")] == [["r1"], []]


async def test_a_line_or_reaction_does_not_change_the_room(store: Store) -> None:
    await commit(store, new_room())
    ids = answered(("p_ann", "c1", 1))
    assert await commit(store, chat(1, command=("p_ann", "c1"), command_ids=ids)) == Stored(1, 1)
    ids = answered(("p_ann", "c1", 1), ("p_ann", "c2", 1))
    assert await commit(store, Change("r1", 1, 1, command=("p_ann", "c2"), command_ids=ids)) == Stored(1)
    assert await store.load("r1") == (1, b"one", ids, (LINE._replace(n=1),))


async def test_a_line_at_another_version_is_a_conflict(store: Store) -> None:
    """Whether a player may chat depends on the room, so a line was judged at one version of it."""
    await commit(store, new_room())
    await commit(store, next_version(2))
    assert isinstance(await commit(store, chat(1)), Conflict)
    assert isinstance(await commit(store, chat(3)), Conflict)
    assert await commit(store, chat(2)) == Stored(2, 1)


async def test_chat_holds_any_text(store: Store) -> None:
    await commit(store, new_room())
    text = "\0 ' \" \u202e 👩‍👧 \U0010ffff"
    await commit(store, chat(1, line=LINE._replace(text=text, mark=None)))
    room = await store.load("r1")
    assert room is not None
    (line,) = room.lines
    assert (line.text, line.mark) == (text, None)


# --- games --------------------------------------------------------------------------------------------------------


async def test_games_are_kept_by_number(store: Store) -> None:
    await commit(store, new_room())
    await commit(store, next_version(2, records=((1, b"first"),)))
    await commit(store, next_version(3, records=((2, b"second"),), index_entry=INDEX._replace(listing=None)))
    assert await store.record("r1", 1) == b"first"
    assert await store.record("r1", 2) == b"second"
    assert await store.record("r1", 3) is None


# --- the index entry ----------------------------------------------------------------------------------------------


async def test_a_change_without_an_index_entry_keeps_the_old(store: Store) -> None:
    await commit(store, new_room())
    await commit(store, next_version(2))
    assert list(await store.claim_due(NOW_MS, 9, 60_000)) == [Due("r1", 1_000)]
    assert contents_of(await store.listed("open", "classic", 10)) == [("r1", b"more")]
    assert list(await store.ids_of("p_ann")) == ["r1"]


@pytest.mark.parametrize(
    "index",
    [
        INDEX._replace(wake_at_ms=2_000),
        INDEX._replace(listing="live"),
        INDEX._replace(listing=None),
        INDEX._replace(variant="misere"),
        INDEX._replace(players=("p_ben", "p_cat")),
        INDEX._replace(players=("p_ann", "p_ben")),
        INDEX._replace(players=("p_ann", "p_ann")),
        INDEX._replace(players=()),
        IndexEntry(5, "live", "misere", ("p_dan",)),
    ],
)
async def test_an_index_entry_is_replaced_whole(store: Store, index: IndexEntry) -> None:
    for room, version in (("r1", 2), ("r2", 1)):  # the room itself, and one that has that entry from the start
        await commit(store, new_room(room, INDEX if version == 2 else index, data=b"more"))
    assert await commit(store, next_version(2, index_entry=index)) == Stored(2)
    assert sorted(await store.claim_due(NOW_MS, 9, 60_000)) == [
        Due("r1", index.wake_at_ms),
        Due("r2", index.wake_at_ms),
    ]
    for listing in ("open", "live"):
        for variant in (None, "classic", "misere"):
            rooms = [row.id for row in await store.listed(listing, variant, 10)]
            assert rooms == (
                ["r2", "r1"] if (index.listing, variant or index.variant) == (listing, index.variant) else []
            )
    for player in ("p_ann", "p_ben", "p_cat", "p_dan"):
        assert sorted(await store.ids_of(player)) == (["r1", "r2"] if player in index.players else [])


async def test_lists_are_newest_first_and_bounded(store: Store) -> None:
    for number in range(6):
        variant = "classic" if number % 2 else "misere"
        await commit(store, new_room(f"r{number}", IndexEntry(1, "open", variant, ()), data=f"{number}".encode()))
    await commit(store, new_room("live", IndexEntry(1, "live", "classic", ())))
    await commit(store, next_version(2, "r0", b"changed last", index_entry=IndexEntry(2, "open", "misere", ())))

    async def listed(*query: Any) -> list[str]:
        return [row.id for row in await store.listed(*query)]

    assert await listed("open", None, 10) == ["r5", "r4", "r3", "r2", "r1", "r0"]
    assert await listed("open", "misere", 10) == ["r4", "r2", "r0"]
    assert contents_of(await store.listed("open", None, 2)) == [("r5", b"5"), ("r4", b"4")]
    assert contents_of(await store.listed("live", None, 10)) == [("live", b"one")]
    assert contents_of(await store.newest(3)) == [("live", b"one"), ("r5", b"5"), ("r4", b"4")]
    assert contents_of(await store.newest(10))[-1] == ("r0", b"changed last")
    assert await store.count() == 7


# --- holding and deadlines ----------------------------------------------------------------------------------------


async def test_holding_a_room_returns_what_is_stored(store: Store) -> None:
    await commit(store, new_room())
    await commit(store, chat(1))
    held = await store.hold("r1")
    assert held is not None
    assert held.stored == await store.load("r1")
    store.release("r1")
    assert await store.hold("nowhere") is None


async def test_a_due_room_is_claimed_for_a_while(store: Store) -> None:
    """It comes again only when its deadline is set again."""
    for room, wake_at_ms in (("early", 1), ("due", 2), ("later", NOW_MS + 86_400_000)):
        await commit(store, new_room(room, INDEX._replace(wake_at_ms=wake_at_ms)))
    assert list(await store.claim_due(NOW_MS, 1, 60_000)) == [Due("early", 1)]
    assert list(await store.claim_due(NOW_MS, 10, 60_000)) == [Due("due", 2)]
    assert list(await store.claim_due(NOW_MS, 10, 60_000)) == []
    await store.postpone("later", 3)
    await store.postpone("nowhere", 3)
    assert list(await store.claim_due(NOW_MS, 10, 60_000)) == [Due("later", 3)]
    assert list(await store.claim_due(NOW_MS, 10, 60_000)) == []


# --- the end of a room --------------------------------------------------------------------------------------------


async def test_a_closed_room_leaves_nothing_behind(store: Store, contents: Contents) -> None:
    await commit(store, new_room())
    before = await contents()
    await commit(store, new_room("gone"))
    index = INDEX._replace(players=("p_ben",))
    await commit(store, next_version(2, "gone", command_ids=b"ids", records=((1, b"game"),), index_entry=index))
    await commit(store, chat(2, "gone"))
    assert await contents() != before
    closing = Change("gone", 2, 3, data=b"closed", command=("p_ann", "c1"), command_ids=b"ids", closes=True)
    assert await commit(store, closing) == Stored(3)
    assert await store.load("gone") is None
    assert await contents() == before
    assert await commit(store, closing) == Conflict(None)


async def test_all_of_it_is_there_after_a_restart(store: Store, open_store: OpenStore) -> None:
    await commit(store, new_room())
    ids = answered(("p_ann", "c1", 2))
    await commit(store, next_version(2, data=b"two", command=("p_ann", "c1"), command_ids=ids, records=((1, b"game"),)))
    await commit(store, chat(2))
    await store.close()
    store = await open_store()
    assert await store.load("r1") == (2, b"two", ids, (LINE._replace(n=1),))
    assert await store.record("r1", 1) == b"game"
    assert list(await store.claim_due(NOW_MS, 9, 60_000)) == [Due("r1", 1_000)]
    assert isinstance(await commit(store, next_version(2)), Conflict)
    assert await commit(store, chat(2)) == Stored(2, 2)


# --- other kinds ------------------------------------------------------------------------------------------------------


async def test_several_records_are_read_at_once(store: Store) -> None:
    await commit(store, new_room())
    await commit(store, next_version(2, records=((1, b"one"), (4, b"four"))))
    assert list(await store.records("r1", (4, 2, 1))) == [b"four", None, b"one"]
    assert list(await store.records("r1", ())) == []
    assert list(await store.records("nowhere", (1,))) == [None]


async def test_the_values_in_a_list_are_counted(store: Store) -> None:
    for number in range(3):
        await commit(store, new_room(f"open{number}"))
    await commit(store, new_room("match", INDEX._replace(listing="match", players=())))
    await commit(store, new_room("none", INDEX._replace(listing=None)))
    assert [await store.count(listing) for listing in (None, "open", "match", "live")] == [5, 3, 1, 0]


async def test_kinds_do_not_see_each_other(store: Store) -> None:
    """A room and a tournament may have the same id. A tournament is found by its second key, as a room by its variant."""
    tournaments = store.machines(TOURNAMENT)
    entry = INDEX._replace(listing="open", variant="123456")
    await commit(store, new_room())
    change = new_room(data=b"cup", index_entry=entry, kind=TOURNAMENT)
    assert await commit(tournaments, change) == Stored(1)
    assert [row.data for row in await tournaments.listed("open", "123456", 1)] == [b"cup"]
    assert list(await tournaments.listed("open", "654321", 1)) == []
    assert await commit(tournaments, Change("r1", 1, 2, closes=True, kind=TOURNAMENT)) == Stored(2)
    assert await store.load("r1") == (1, b"one", b"", ())
