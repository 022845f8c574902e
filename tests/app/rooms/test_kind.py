"""Rooms as a kind of machine: what a step becomes in the store, and what is read back."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from noughts.app.machines.kind import Loaded, Step
from noughts.app.machines.repository import Repository, UnreadableError, UnreadableRejection
from noughts.app.rooms.kind import RoomKind, listing_of
from noughts.app.runtime.downtime import DowntimeLog
from noughts.app.runtime.node_state import NodeState
from noughts.errors import Rejection
from noughts.protocol.views import open_room
from noughts.room.clock import MoveClock
from noughts.room.commands import Chat, Close, Move, Request, Resign, RoomCommand, SeatEngine, Set, Sit
from noughts.room.creation import new_room
from noughts.room.events import Event
from noughts.room.idempotency import IdempotencyKeys
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room
from noughts.room.seat import Person
from noughts.room.step import step
from noughts.room.storage import room_bytes
from noughts.room.timers import EXPIRY_STEP_MS
from noughts.room.transition import Moment, Transition
from noughts.store.contract import DamagedError
from noughts.store.machine_store import Change, Failed, Unavailable
from tests.support.commits import commit
from tests.support.commits import new_room as new_stored_room
from tests.support.manual_clock import START_MS, ManualClock
from tests.support.node import ANN, BEN, CLASSIC, LEVELS, Cluster, Node

POLICY = Policy(levels=LEVELS)
PRESENCE = Presence(connections=2)
NODE = NodeState(ManualClock(), DowntimeLog())
KIND = RoomKind(POLICY, cast(Any, None))
REPOSITORY = Repository(KIND, cast(Any, SimpleNamespace(shared=False)), NODE)


def room(**options: object) -> Room:
    fields: dict[str, object] = {"opponent": "anyone", "mark": "X", "engines": (), "clock": None, "visibility": None}
    fields |= {"room_id": "r1", "invite": "secret", "owner": ANN.nameless, "variant": CLASSIC, "now_ms": START_MS}
    return new_room(**{**fields, **options})  # type: ignore[arg-type]


def moment(in_ms: int = 0) -> Moment:
    return Moment(START_MS + in_ms, POLICY, PRESENCE)


def carried_out(before: Room, person: Person, command: RoomCommand, in_ms: int = 0) -> Transition:
    return step(before, Request(person, command), moment(in_ms))


def game(**options: object) -> Room:
    """Return a game between Ann and Ben, no move made."""
    return carried_out(room(**options), BEN, Sit("sit", "O")).room


def change_of(before: Room, step: Step[Room, Event], ids: IdempotencyKeys, key: tuple[str, str] | None) -> Change:
    return REPOSITORY.change(before, step, ids, key)


# --- what a room is found by ----------------------------------------------------------------------------------------


def test_a_public_room_stands_in_one_list() -> None:
    waiting, playing = room(), game()
    over = carried_out(playing, BEN, Resign("a")).room
    assert (listing_of(waiting), listing_of(playing), listing_of(over)) == ("open", "live", None)
    assert listing_of(carried_out(waiting, ANN, Close("a")).room) is None
    assert listing_of(room(opponent="friend")) is None
    assert listing_of(game(visibility="unlisted")) is None


def test_a_room_is_found_by_its_players_and_its_deadline() -> None:
    entry = KIND.index_entry(game())
    assert (entry.listing, entry.variant, entry.players) == ("live", "classic", ("p_ann", "p_ben"))
    assert 0 <= entry.wake_at_ms - (START_MS + POLICY.playing_ms) < EXPIRY_STEP_MS
    assert [KIND.index_entry(game(clock=clock)).time_runs for clock in (None, MoveClock(60_000))] == [False, True]


def test_moves_keep_the_index_entry() -> None:
    """It is written again only when it changes, and that is decided rightly for every kind of change."""
    plain = game()
    timed = game(clock=MoveClock(60_000))
    engine = room(opponent="engine", engines=("novice",))
    for before, person, command in (
        (plain, ANN, Move("a", 0, "b2")),
        (plain, ANN, Resign("a")),
        (plain, BEN, Resign("a")),
        (timed, ANN, Move("a", 0, "b2")),
        (engine, ANN, Move("a", 0, "b2")),
        (room(), BEN, Sit("a", "O")),
        (room(), ANN, Set("a", variant="4x4")),
        (room(), ANN, Set("a", visibility="unlisted")),
        (room(), ANN, Set("a", spectator_chat="off")),
        (room(), ANN, SeatEngine("a", "O", "novice")),
    ):
        for in_ms in (0, 1, EXPIRY_STEP_MS // 2, EXPIRY_STEP_MS):
            if before is timed and in_ms > 1:
                continue
            after = carried_out(before, person, command, in_ms).room
            entry, written = KIND.index_entry(after), KIND.index_change(before, after)
            assert written == (None if entry == KIND.index_entry(before) else entry), (command, in_ms)
    assert KIND.index_change(plain, carried_out(plain, ANN, Move("a", 0, "b2"), 1).room) is None


# --- changes --------------------------------------------------------------------------------------------------------


def test_the_applications_own_command_has_no_id() -> None:
    before = game()
    answered = IdempotencyKeys()
    stored = change_of(before, Step(carried_out(before, ANN, Move("a", 0, "b2")).room), answered, None)
    assert (stored.command, stored.command_ids, answered.version(("p_ann", "a"))) == (None, None, None)


def test_a_change_that_cannot_be_made_answers_no_command() -> None:
    """Else the same command sent again would be answered ok."""
    before, answered = game(), IdempotencyKeys()
    unstorable = replace(before, version=2, variant="\ud800")
    with pytest.raises(UnicodeEncodeError):
        change_of(before, Step(unstorable), answered, ("p_ann", "a"))
    assert answered.version(("p_ann", "a")) is None


# --- the store ------------------------------------------------------------------------------------------------------


async def test_what_is_committed_is_loaded(cluster: Cluster, node: Node) -> None:
    """With the chat, and the names of those who wrote it as they are now."""
    person, _ = await node.guests.create("Ann")
    actor = await node.room(owner=person)
    await actor.request(person, Chat("a", "hello"))
    await node.guests.rename(person.player, "Anna")
    loaded = await node.repository.hold(actor.id)
    assert isinstance(loaded, Loaded)
    assert loaded.value == actor.room
    assert loaded.command_ids.version((person.player, "a")) == 1
    assert [line.text for line in loaded.lines] == ["hello"]
    assert loaded.names == {person.player: "Anna"}
    assert await node.repository.load(actor.id) == actor.room
    assert await node.repository.load("unknown") is None
    assert await node.repository.hold("unknown") is None


# --- rooms that cannot be read --------------------------------------------------------------------------------------


async def test_an_unreadable_room_is_skipped_and_logged(
    cluster: Cluster, node: Node, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each client is sent on to another room, and nobody takes it for an outage of the store."""
    entry = KIND.index_entry(room(visibility="public"))
    await commit(cluster.store, Change("broken", 0, 1, b"\x93no room", entry, command_ids=b""))
    await commit(cluster.store, Change("r1", 0, 1, room_bytes(room()), entry, command_ids=b"\xc1no ids"))
    for _ in range(2):
        assert [listed.id async for listed, _ in node.listed.read("open", None, 10)] == ["r1"]
        for room_id in ("broken", "r1"):
            with pytest.raises(UnreadableRejection):
                await node.repository.hold(room_id)
    assert not node.downtime.on
    text = capsys.readouterr().out
    assert "broken" in text
    assert "r1" in text


async def test_a_room_that_cannot_be_removed(cluster: Cluster, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page is damaged, or the store fails as a whole."""
    await commit(cluster.store, new_stored_room("broken", data=b"\x93no room"))
    for answer, retry_ms in ((Failed("damaged"), 60_000), (Unavailable("full"), 1_000)):
        monkeypatch.setattr(
            cluster.store, "submit", lambda change, receiver, answer=answer: receiver.commit_answered(change, answer)
        )
        with pytest.raises(Rejection, match="unavailable") as rejected:
            await node.repository.remove("broken")
        assert (rejected.value.retry_ms, node.downtime.on) == (retry_ms, isinstance(answer, Unavailable))
    node.downtime.discard()

    async def damaged(room: str) -> None:
        raise DamagedError("a part of the file is damaged")

    monkeypatch.setattr(cluster.store, "load", damaged)
    with pytest.raises(Rejection, match="tell the operator") as rejected:
        await node.repository.remove("broken")
    with pytest.raises(UnreadableRejection):
        await node.repository.hold("broken")
    assert not node.downtime.on


# --- bytes that are no room -------------------------------------------------------------------------------------------


def test_an_error_quotes_nothing_of_a_room() -> None:
    """The log gets its text, and a room holds the secret of its invite."""
    data = room_bytes(room()).replace(b"public", b"secret")
    for current in (None, room()):
        with pytest.raises(UnreadableError, match=r"^ValidationError$"):
            REPOSITORY.decode(data, current)


def test_bytes_with_random_changes_are_a_room_or_unreadable() -> None:
    """No other exception reaches the lobby, which would answer everybody with it."""
    random, data = Random(3), room_bytes(room(visibility="public"))
    unreadable = 0
    for _ in range(5_000):
        changed = bytearray(data)
        for _ in range(random.choice((1, 2, 8))):
            changed[random.randrange(len(changed))] = random.randrange(256)
        try:
            open_room(REPOSITORY.decode(bytes(changed)), {})
        except UnreadableError:
            unreadable += 1
    assert 1_000 < unreadable < 5_000


# --- what other nodes are told ----------------------------------------------------------------------------------------


def test_events_of_a_newer_program_are_none() -> None:
    events = carried_out(game(), ANN, Move("a", 0, "b2")).events
    assert KIND.events.decode(KIND.events.encode(events)) == events
    assert KIND.events.decode(b"\x91\x81\xa4type\xa5never") == ()
