"""The one state machine: a step first does what is due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import (
    AnyCommand,
    Chat,
    Close,
    EngineDrawAnswer,
    EngineMoved,
    Mute,
    Renamed,
    Request,
    Set,
    Wake,
)
from noughts.room.events import Claimable, Closed, Ended, Event, Said, Settings, Started
from noughts.room.seat import HumanSeat, Person
from noughts.room.step import step
from noughts.room.storage import room_bytes
from noughts.room.transition import Transition
from tests.support.room_play import (
    ADA,
    BOB,
    CAT,
    FISCHER_60_2,
    INVITE,
    MOVE_5S,
    RoomPlay,
    against_engine,
    alone,
    answer,
    bob_away,
    claim,
    engines,
    finished,
    move,
    offer,
    open_room,
    pair,
    playing,
    resign,
    seat_engine,
    sit,
    stand,
)


def flag_fallen() -> RoomPlay:
    """Ada has used up her time."""
    play = playing(clock=MOVE_5S)
    play.now_ms += 5_000
    return play


def engine_flag_fallen() -> RoomPlay:
    """The engine has used up its time."""
    play = against_engine(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    play.now_ms += 5_000
    return play


def first_move_missing() -> RoomPlay:
    """Ada has not made her first move in time."""
    play = pair(clock=FISCHER_60_2)
    play.now_ms += 30_000
    return play


def grace_over() -> RoomPlay:
    """Bob has been away for the whole grace."""
    play = bob_away(29_999)
    play.now_ms += 1
    return play


def claim_lapsed() -> RoomPlay:
    """Bob was away for the whole grace and is back."""
    play = bob_away()
    play.away_since[BOB.player] = None
    return play


def owner_away() -> RoomPlay:
    """Ada, the owner, has been away for ten minutes. Bob is here."""
    play = finished()
    play.away_since[ADA.player] = play.now_ms
    play.now_ms += 600_000
    return play


def engines_finished() -> RoomPlay:
    """Two engines ended a game ten seconds ago."""
    play = engines()
    play.moves("a1", "a2", "b1", "b2", "c1")
    play.now_ms += 10_000
    return play


def room_abandoned() -> RoomPlay:
    """The owner of an open room has been away for 45 seconds."""
    play = RoomPlay(open_room())
    play.away_since[ADA.player] = play.now_ms
    play.now_ms += 45_000
    return play


def room_expired() -> RoomPlay:
    """A room that waits for a friend has been empty for a day."""
    return left_alone(alone(), 86_400_000)


def flag_fallen_in_an_expired_room() -> RoomPlay:
    """A timed game was left alone for eight days."""
    return left_alone(playing(clock=MOVE_5S), 8 * 86_400_000)


def fischer_flag_fallen() -> RoomPlay:
    """Ada has used up her supply of time."""
    play = playing(clock=FISCHER_60_2)
    play.now_ms += 60_000
    return play


def second_first_move_missing() -> RoomPlay:
    """Bob has not made his first move in time."""
    play = pair(clock=MOVE_5S)
    play.now_ms += 10_000
    play.moves("b2")
    play.now_ms += 30_000
    return play


def finished_room_expired() -> RoomPlay:
    """A room has been empty for a day after its game."""
    return left_alone(finished(), 86_400_000)


def game_expired() -> RoomPlay:
    """Both players left in mid-game a week ago."""
    return left_alone(pair(), 7 * 86_400_000)


def left_alone(play: RoomPlay, ms: int) -> RoomPlay:
    """Close all connections, and let time pass."""
    play.away_since = {ADA.player: play.now_ms, BOB.player: play.now_ms}
    play.now_ms += ms
    return play


MakePlay: TypeAlias = Callable[[], RoomPlay]

OVERDUE: Final[dict[MakePlay, tuple[Event, ...]]] = {
    flag_fallen: (Ended(1, "O", "timeout"),),
    fischer_flag_fallen: (Ended(1, "O", "timeout"),),
    engine_flag_fallen: (Ended(1, "X", "timeout"),),
    first_move_missing: (Ended(1, None, "aborted"),),
    second_first_move_missing: (Ended(1, None, "aborted"),),
    grace_over: (Claimable("O"),),
    claim_lapsed: (),
    owner_away: (Settings(),),
    engines_finished: (Started(2),),
    room_abandoned: (Closed(),),
    room_expired: (Closed(),),
    finished_room_expired: (Closed(),),
    game_expired: (Closed(),),
    flag_fallen_in_an_expired_room: (Ended(1, "O", "timeout"), Closed()),
}
"""Rooms in which something is due and no wake-up has come yet, with the events of that."""
DUE_FOR_LONGER: Final = (claim_lapsed, flag_fallen_in_an_expired_room)
"""The others became due in this millisecond."""

COMMANDS: Final[list[AnyCommand]] = [
    Wake(),
    Renamed(Person(BOB.player, "Robert")),
    Renamed(Person("p_nobody", "N")),
    EngineMoved(1, (4, 0, 8), 1),
    EngineMoved(2, (), 1),
    EngineDrawAnswer(1, (4, 0), True),
    *[Request(person, move(ply, "c3")) for person in (ADA, BOB) for ply in (0, 2)],
    *[Request(person, command) for person in (ADA, BOB, CAT) for command in (resign(), stand(), sit("O", INVITE))],
    *[Request(person, Chat("c", "hello")) for person in (ADA, CAT)],
    *[Request(person, offer(what)) for person in (ADA, BOB) for what in ("draw", "takeback", "rematch")],
    Request(BOB, answer("draw", True)),
    Request(ADA, claim("win")),
    Request(ADA, claim("draw")),
    Request(ADA, seat_engine("O")),
    *[
        Request(person, command)
        for person in (ADA, BOB)
        for command in (Set("c", variant="4x4"), Mute("c", CAT.player, True), Close("c"))
    ],
]


def attempt(play: RoomPlay, command: AnyCommand) -> Transition | str:
    """Return the transition of a step, or the code that rejects it."""
    try:
        return step(play.room, command, play.moment)
    except Rejection as rejection:
        return rejection.code


@pytest.mark.parametrize(
    "make", [make for make in OVERDUE if make not in DUE_FOR_LONGER], ids=lambda make: make.__name__
)
def test_nothing_is_due_a_millisecond_earlier(make: MakePlay) -> None:
    """A deadline is kept to the millisecond, and the room knows it beforehand."""
    play = make()
    due_ms = play.now_ms
    play.now_ms -= 1
    before = play.room
    assert play.advance_at_ms == due_ms
    assert play.step(Wake()) == ()
    assert play.room is before


@pytest.mark.parametrize("make", OVERDUE, ids=[make.__name__ for make in OVERDUE])
def test_due_changes_come_before_the_command(make: MakePlay) -> None:
    """Every command has the outcome that it would have after a wake-up, in one change instead of two."""
    codes = set()
    for command in COMMANDS:
        play, woken = make(), make()
        assert woken.step(Wake()) == woken.events
        assert woken.events == OVERDUE[make]
        assert woken.room.version == play.room.version + 1
        outcome, later = attempt(play, command), attempt(woken, command)
        if isinstance(outcome, str) or isinstance(later, str):
            assert outcome == later
            codes.add(outcome)
        else:
            assert outcome.room == replace(later.room, version=play.room.version + 1)
            assert outcome.events == (*woken.events, *later.events)
            assert outcome.finished == (later.finished or woken.finished)
    assert codes, "some of the commands are rejected"


@pytest.mark.parametrize("make", OVERDUE, ids=[make.__name__ for make in OVERDUE])
def test_a_rejection_leaves_due_changes_due(make: MakePlay) -> None:
    """A rejected command changes nothing, also not what was due: that is still due afterwards."""
    for command in COMMANDS:
        play = make()
        stored, at_ms = room_bytes(play.room), play.advance_at_ms
        if isinstance(attempt(play, command), str):
            assert room_bytes(play.room) == stored
            assert play.advance_at_ms == at_ms
            play.step(Wake())
            assert play.events == OVERDUE[make]


def test_a_chat_line_after_the_flag() -> None:
    """An accepted command ends the game in the same change, and its own event comes last."""
    play = flag_fallen()
    version = play.room.version
    assert play.ask(CAT, Chat("c", "time!")) == (Ended(1, "O", "timeout"), Said("p_cat", "Cat", None, "time!", 2))
    assert play.room.version == version + 1


def test_no_stand_in_after_the_flag() -> None:
    """A game that is lost on time still counts: the engine cannot be seated to prevent it."""
    play = pair(clock=MOVE_5S)
    play.moves("b2", "a1", "c3")
    play.disconnect(BOB)
    play.wait(4_999)
    play.now_ms += 1
    assert play.code(ADA, seat_engine("O")) == "seat_taken"
    play.wait(0)
    assert play.wins == {"p_ada": 1, "p_bob": 0}


def test_a_closed_room_takes_no_command() -> None:
    """A room that is due to be deleted rejects every request."""
    play = room_abandoned()
    assert play.code(BOB, sit("O")) == "forbidden"
    play.connect(ADA)
    assert play.ask(BOB, sit("O"))[-1] == Started(1)
    assert play.room.seat("O") == HumanSeat("p_bob", "Bob")
