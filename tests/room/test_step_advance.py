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
    Request,
    Set,
    Wake,
)
from noughts.room.events import Claimable, Closed, Ended, Event, Settings, Started
from noughts.room.seat import Person
from noughts.room.step import step
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
    new_room,
    offer,
    open_room,
    pair,
    playing,
    resign,
    seat_engine,
    sit,
    stand,
)

MakePlay: TypeAlias = Callable[[], RoomPlay]
DAY_MS: Final = 86_400_000
EVERYBODY: Final = (ADA, BOB, CAT)


def after(ms: int, make: MakePlay, *gone: Person) -> MakePlay:
    """Return the maker of a room that these people left so long ago. It has not been woken since."""

    def overdue() -> RoomPlay:
        play = make()
        play.away_since |= {person.player: play.now_ms for person in gone}
        play.now_ms += ms
        return play

    return overdue


def moved(play: RoomPlay, *cells: str) -> RoomPlay:
    """Return the room after some moves."""
    play.moves(*cells)
    return play


def claim_lapsed() -> RoomPlay:
    """Bob was away for the whole grace and is back."""
    play = bob_away()
    play.away_since[BOB.player] = None
    return play


def bob_waits() -> RoomPlay:
    """Bob waits for an opponent in Ada's open room. She has no seat."""
    play = RoomPlay(open_room())
    play.ask(ADA, stand())
    play.ask(BOB, sit("X"))
    return play


OVERDUE: Final[dict[str, tuple[MakePlay, tuple[Event, ...]]]] = {
    "a flag": (after(5_000, lambda: playing(clock=MOVE_5S)), (Ended(1, "O", "timeout"),)),
    "a flag on a Fischer clock": (after(60_000, lambda: playing(clock=FISCHER_60_2)), (Ended(1, "O", "timeout"),)),
    "an engine's flag": (
        after(5_000, lambda: moved(against_engine(clock=MOVE_5S), "b2", "a1", "c3")),
        (Ended(1, "X", "timeout"),),
    ),
    "the first move": (after(30_000, lambda: pair(clock=FISCHER_60_2)), (Ended(1, None, "aborted"),)),
    "the first move of O": (after(30_000, lambda: moved(pair(clock=MOVE_5S), "b2")), (Ended(1, None, "aborted"),)),
    "a claim": (after(30_000, playing, BOB), (Claimable("O"),)),
    "a claim against the side to move": (after(30_000, playing, ADA), (Claimable("X"),)),
    "the end of a claim": (claim_lapsed, ()),
    "a new owner": (after(600_000, finished, ADA), (Settings(),)),
    "a new owner of an open room": (after(600_000, bob_waits, ADA), (Settings(),)),
    "two engines' next game": (
        after(10_000, lambda: moved(engines(), "a1", "a2", "b1", "b2", "c1")),
        (Started(2),),
    ),
    "an open room without its owner": (after(45_000, lambda: RoomPlay(open_room()), ADA), (Closed(),)),
    "a room for a friend": (after(DAY_MS, alone, *EVERYBODY), (Closed(),)),
    "a public room for a friend": (
        after(DAY_MS, lambda: RoomPlay(new_room(visibility="public")), *EVERYBODY),
        (Closed(),),
    ),
    "a room after its game": (after(DAY_MS, finished, *EVERYBODY), (Closed(),)),
    "a room in play": (after(7 * DAY_MS, pair, *EVERYBODY), (Closed(),)),
    # The room outlives the end of its game, so that the players find the outcome.
    "a flag of long ago": (
        after(8 * DAY_MS, lambda: playing(clock=MOVE_5S), *EVERYBODY),
        (Ended(1, "O", "timeout"),),
    ),
}
"""Rooms in which something is due and no wake-up has come yet, with the events of that."""
DUE_FOR_LONGER: Final = ("the end of a claim", "a flag of long ago")
"""The others became due in this millisecond."""

COMMANDS: Final[list[AnyCommand]] = [
    Wake(),
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


@pytest.mark.parametrize("name", [name for name in OVERDUE if name not in DUE_FOR_LONGER])
def test_nothing_is_due_a_millisecond_earlier(name: str) -> None:
    """A deadline is kept to the millisecond, and the room knows it beforehand."""
    play = OVERDUE[name][0]()
    due_ms = play.now_ms
    play.now_ms -= 1
    before = play.room
    assert play.advance_at_ms == due_ms
    assert play.step(Wake()) == ()
    assert play.room is before


@pytest.mark.parametrize("name", OVERDUE)
def test_due_changes_come_before_the_command(name: str) -> None:
    """Every command has the outcome that it would have after a wake-up, in one change instead of two."""
    make, events = OVERDUE[name]
    codes = set()
    for command in COMMANDS:
        play, woken = make(), make()
        assert woken.step(Wake()) == events
        assert woken.room.version == play.room.version + 1
        outcome, later = attempt(play, command), attempt(woken, command)
        if isinstance(outcome, str) or isinstance(later, str):
            assert outcome == later
            codes.add(outcome)
        else:
            assert outcome.room == replace(later.room, version=play.room.version + 1)
            assert outcome.events == (*events, *later.events)
            assert outcome.finished == (later.finished or woken.finished)
    assert codes, "some of the commands are rejected"
