"""What every store promises about the answers to changes: which answer, to whom, when, and in which order."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.contract import Store
from noughts.store.machine_store import Change, Conflict, Failed, Known, Stored, Unavailable
from tests.store.conftest import Contents, OpenStore
from tests.support.commits import INDEX, LINE, Answers, answered, chat, commit, commit_all, new_room, next_version
from tests.support.loop_errors import loop_errors


async def test_a_command_sent_again_is_known(store: Store, contents: Contents) -> None:
    """An answer was lost: the caller did not learn that its change was stored."""
    await commit(store, new_room())
    first = next_version(2, command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 2)))
    assert await commit(store, first) == Stored(2)
    assert await commit(store, first) == Known(2)
    await commit(
        store, next_version(3, command=("p_ben", "c2"), command_ids=answered(("p_ann", "c1", 2), ("p_ben", "c2", 3)))
    )
    before = await contents()
    assert await commit(store, replace(first, index_entry=INDEX, records=((1, b"game"),))) == Known(2)
    assert await commit(store, replace(first, closes=True)) == Known(2)
    assert await contents() == before
    for command in (("p_ben", "c1"), ("p_ann", "c2"), None):
        assert isinstance(await commit(store, replace(first, command=command)), Conflict)


@pytest.mark.parametrize("line", [LINE, None], ids=["chat", "reaction"])
async def test_a_line_or_reaction_sent_again_is_known(store: Store, contents: Contents, line: Any) -> None:
    """They leave the version as it is, so the version does not tell."""
    await commit(store, new_room())
    change = Change("r1", 1, 1, command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 1)), line=line)
    assert await commit(store, change) == Stored(1, 1 if line else 0)
    before = await contents()
    assert await commit(store, change) == Known(1)
    await commit(store, next_version(2))
    assert await commit(store, change) == Known(1)
    assert (await contents())["lines"] == before["lines"]


async def test_a_change_that_only_checks_writes_nothing(store: Store, contents: Contents) -> None:
    """It says whether a rejected command could have met the stored version, or is known."""
    await commit(store, new_room())
    await commit(store, next_version(2, command=("p_ann", "c1"), command_ids=answered(("p_ann", "c1", 2))))
    before = await contents()
    for room, expected, command, answer in (
        ("r1", 2, ("p_ann", "c2"), Stored(2)),
        ("r1", 2, ("p_ann", "c1"), Known(2)),
        ("r1", 1, ("p_ann", "c2"), Conflict(await store.load("r1"))),
        ("unknown", 2, ("p_ann", "c1"), Conflict(None)),
    ):
        assert await commit(store, Change(room, expected, expected, command=command, checks=True)) == answer
    assert await contents() == before


async def test_a_change_without_answered_keeps_the_list(store: Store) -> None:
    ids = answered(("p_ann", "c1", 2))
    await commit(store, new_room())
    await commit(store, next_version(2, command=("p_ann", "c1"), command_ids=ids))
    await commit(store, next_version(3))
    await commit(store, next_version(4, index_entry=INDEX._replace(wake_at_ms=5)))
    await commit(store, next_version(5, index_entry=INDEX._replace(listing=None)))
    await commit(store, chat(5))
    assert await store.load("r1") == (5, b"more", ids, (LINE._replace(n=1),))


async def test_each_change_adds_its_id_to_the_answered_ones(store: Store) -> None:
    """One store writes the list that comes with the change, another adds the id to its own list."""
    versions = [1, 2, 3, 4, 4, 4]
    commands = [("p_ann", f"c{n}") for n in range(6)]
    lists = [answered(*[(*commands[n], versions[n]) for n in range(last + 1)]) for last in range(6)]
    await commit(store, new_room(command_ids=lists[0]))
    changes = [
        next_version(2, command_ids=lists[1], command=commands[1]),
        next_version(3, command_ids=lists[2], command=commands[2], index_entry=INDEX._replace(wake_at_ms=5)),
        next_version(4, command_ids=lists[3], command=commands[3], index_entry=INDEX._replace(listing=None)),
        chat(4, command_ids=lists[4], command=commands[4]),
        Change("r1", 4, 4, command_ids=lists[5], command=commands[5]),
    ]
    room = await store.load("r1")
    assert room is not None
    assert room.command_ids == lists[0]
    for change in changes:
        assert isinstance(await commit(store, change), Stored)
        room = await store.load("r1")
        assert room is not None
        assert room.command_ids == change.command_ids


@pytest.mark.parametrize(("own", "others"), [(2, 20), (100, 2)])
async def test_all_stores_drop_the_same_ids(store: Store, own: int, others: int) -> None:
    """A shared store cuts its own list, and no sender knows all of it. The rule is the one of ``IdempotencyKeys.cut``."""
    players = tuple(f"p_{n}" for n in range(own))
    ids = IdempotencyKeys()
    changes = [new_room(index_entry=INDEX._replace(players=players))]
    for version in range(2, 1_000):
        command = (f"p_{version * version % (own + others)}", f"c{version}")
        ids.add(command, version)
        if ids.overfull:
            ids.cut(players)
        changes.append(next_version(version, command=command, command_ids=ids.encoded()))
    for start in range(0, len(changes), 100):
        answers = await commit_all(store, changes[start : start + 100])
        assert {type(answer) for answer in answers} == {Stored}
    stored = await store.load("r1")
    assert stored is not None
    assert msgspec.msgpack.decode(stored.command_ids) == msgspec.msgpack.decode(ids.encoded())


async def test_answers_come_in_the_order_of_submission(store: Store) -> None:
    """Also when some are conflicts, cannot be stored, or are more than plain changes."""
    await commit_all(store, [new_room(f"r{i}") for i in range(40)])
    receiver = Answers()
    changes = []
    for i in range(40):
        change = next_version(2, f"r{i}")
        if i % 5 == 1:
            change = replace(change, records=((1, b"game"),))
        elif i % 5 == 2:
            change = next_version(9, f"r{i}")
        elif i % 5 == 3:
            change = chat(1, f"r{i}")
        elif i == 24:
            change = replace(change, id="\ud800")
        changes.append(change)
        store.submit(change, receiver)
    await store.count()
    assert receiver.changes == changes
    kinds = [Stored, Stored, Conflict, Stored, Stored] * 8
    kinds[24] = Failed
    assert [type(answer) for answer in receiver.answers] == kinds


async def test_a_receiver_is_called_once_and_later(store: Store) -> None:
    """A receiver must not be called while its caller is still at work."""
    receiver = Answers()
    store.submit(new_room(), receiver)
    assert receiver.answers == []
    await store.count()
    assert receiver.answers == [Stored(1)]
    await store.count()
    assert receiver.answers == [Stored(1)]


async def test_a_receiver_that_raises_stops_no_other(store: Store) -> None:
    class Raising:
        def commit_answered(self, change: Change, answer: object) -> None:
            raise ZeroDivisionError

    receiver = Answers()
    with loop_errors() as errors:
        store.submit(new_room("r1"), Raising())
        store.submit(new_room("r2"), receiver)
        await store.count()
    assert receiver.answers == [Stored(1)]
    assert [type(error) for error in errors] == [ZeroDivisionError]


async def test_a_read_sees_what_was_submitted_before_it(store: Store) -> None:
    receiver = Answers()
    store.submit(new_room(), receiver)
    store.submit(next_version(2), receiver)
    assert await store.load("r1") == (2, b"more", b"", ())
    assert receiver.answers == [Stored(1), Stored(2)]


async def test_a_change_that_cannot_be_stored_fails_alone(store: Store) -> None:
    await commit(store, new_room())
    answers = await commit_all(
        store,
        [
            next_version(2),
            new_room("half \ud800 a pair"),
            next_version(3),
            chat(3, line=LINE._replace(text="\udfff")),
            replace(new_room("r2"), index_entry=None),
            next_version(4, records=((1, b"game"),)),
        ],
    )
    assert [type(answer) for answer in answers] == [Stored, Failed, Stored, Failed, Failed, Stored]
    assert isinstance(answers[4], Failed)
    assert "index entry" in answers[4].reason
    assert await store.load("r1") == (4, b"more", b"", ())
    assert await store.count() == 1


async def test_a_closed_store_answers_unavailable(store: Store) -> None:
    await commit(store, new_room())
    await store.close()
    assert await commit(store, next_version(2)) == Unavailable("the store is not open")


async def test_close_carries_out_what_was_submitted(store: Store, open_store: OpenStore) -> None:
    receiver = Answers()
    store.submit(new_room(), receiver)
    await store.close()
    assert receiver.answers == [Stored(1)]
    assert await (await open_store()).load("r1") == (1, b"one", b"", ())
