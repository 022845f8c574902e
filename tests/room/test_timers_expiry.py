"""What happens in a room without a command: when a room is deleted, and the deadline that a store keeps."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.clock import FischerClock, MoveClock
from noughts.room.events import Closed
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE, Presence
from noughts.room.room import Room
from noughts.room.timers import (
    CREATION_MS,
    EXPIRY_STEP_MS,
    OWNER_AWAY_MS,
    advance,
    advance_at_ms,
    expires_ms,
    stored_wake_at_ms,
)
from noughts.room.transition import Moment
from tests.support.room_play import (
    ADA,
    BOB,
    MOVE_5S,
    POLICY,
    T0,
    RoomPlay,
    against_engine,
    alone,
    engines,
    finished,
    new_room,
    open_room,
    pair,
    playing,
    sit,
    stand,
)

DAY_MS = 86_400_000
MINUTE_MS = 60_000


def test_how_long_each_phase_is_kept() -> None:
    """Waiting means before the first game; a room with an empty seat after a game counts as finished."""
    policy = Policy(waiting_ms=1, finished_ms=2, playing_ms=3)
    play = finished()
    play.ask(BOB, stand())
    rooms = (alone().room, finished().room, play.room, pair().room)
    assert [expires_ms(room, NO_PRESENCE, policy) - T0 for room in rooms] == [1, 2, 2, 3]


def test_a_room_with_a_connection_does_not_expire() -> None:
    """A room with a connection does not expire. Its time begins when the last one closes."""
    play = RoomPlay(new_room(), here=(ADA,))
    assert play.presence.connections
    play.wait(30 * DAY_MS)
    play.disconnect(ADA)
    assert not play.presence.connections
    play.wait(DAY_MS - 1)
    assert not play.closed()
    play.wait(1)
    assert play.closed()


def test_a_room_that_no_client_ever_joined() -> None:
    """It is deleted after half an hour, if its connections were observed from its creation on."""
    room = alone().room
    unjoined = Presence(since_ms=room.created_ms)
    deadline_ms = room.used_ms + POLICY.unjoined_ms
    assert advance_at_ms(room, unjoined, POLICY) == deadline_ms
    assert not advance(room, Moment(deadline_ms - 1, POLICY, unjoined)).room.closed
    assert advance(room, Moment(deadline_ms, POLICY, unjoined)).room.closed


@pytest.mark.parametrize(
    "presence",
    [
        Presence(),
        Presence(since_ms=T0 + CREATION_MS + 1),
        Presence(since_ms=T0, last_left_ms=T0 + 1),
        Presence(since_ms=T0, connections=1),
    ],
    ids=["not known", "restarted", "left", "here"],
)
def test_a_room_that_a_client_may_have_joined(presence: Presence) -> None:
    room = alone().room
    assert not advance(room, Moment(T0 + POLICY.unjoined_ms, POLICY, presence)).room.closed


def test_a_room_that_has_changed_was_joined() -> None:
    room = replace(alone().room, version=2)
    assert not advance(room, Moment(T0 + POLICY.unjoined_ms, POLICY, Presence(since_ms=T0))).room.closed


def test_an_open_room_survives_a_reload() -> None:
    """An owner who is back in time keeps the room."""
    play = RoomPlay(open_room())
    play.disconnect(ADA)
    play.wait(20_000)
    play.connect(ADA)
    play.wait(60 * MINUTE_MS)
    assert not play.closed()


@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_a_room_for_a_friend_is_not_abandoned(visibility: str) -> None:
    """A room that waits for a friend lives on without its owner, for a day."""
    play = RoomPlay(new_room(visibility=visibility), here=(ADA,))
    play.disconnect(ADA)
    play.wait(DAY_MS - 1)
    assert not play.closed()
    play.wait(1)
    assert play.closed()


def test_an_open_room_with_a_player_in_it() -> None:
    """An open room is not deleted under a player who waits in it, and becomes theirs."""
    play = RoomPlay(open_room())
    play.ask(ADA, stand())
    play.ask(BOB, sit("X"))
    play.disconnect(ADA)
    play.wait(2 * MINUTE_MS)
    assert not play.closed()
    play.wait(OWNER_AWAY_MS)
    assert play.room.owner == BOB


# --- the stored deadline ---


def rounded_up(at_ms: int) -> int:
    """Return the next multiple of the step of expiry."""
    return at_ms + -at_ms % EXPIRY_STEP_MS


@pytest.mark.parametrize(
    ("room", "at_ms"),
    [
        (new_room(), rounded_up(T0 + DAY_MS)),
        (pair().room, rounded_up(T0 + 7 * DAY_MS)),
        (playing(clock=MOVE_5S).room, T0 + 5_000),
        (playing(clock=FischerClock(60_000, 0)).room, T0 + 60_000),
        (pair(clock=MoveClock(3_000)).room, T0 + 30_000),
        (open_room(), rounded_up(T0 + 45_000)),
        (engines().room, rounded_up(T0 + 7 * DAY_MS)),
        (against_engine().room, rounded_up(T0 + 7 * DAY_MS)),
    ],
)
def test_the_stored_deadline(room: Room, at_ms: int) -> None:
    """A stored room is due for its flag, for its engine, or when it expires."""
    assert stored_wake_at_ms(replace(room, version=2), POLICY) == at_ms


def test_the_stored_deadline_of_a_new_room() -> None:
    """No client may ever join it."""
    assert stored_wake_at_ms(new_room(), POLICY) == rounded_up(T0 + POLICY.unjoined_ms)


def test_the_stored_deadline_of_an_engine() -> None:
    """A stored room in which the engine is to move is due at the engine's pace."""
    play = against_engine()
    play.moves("b2")
    assert stored_wake_at_ms(play.room, POLICY) == T0 + 500


def test_the_stored_deadline_stays_from_move_to_move() -> None:
    """The time of expiry is rounded up, so that a move does not change the index entry."""
    play = pair()
    deadlines = set()
    play.now_ms = rounded_up(T0)
    for cell in ("b2", "a1", "c3"):
        play.now_ms += MINUTE_MS
        play.moves(cell)
        deadlines.add(stored_wake_at_ms(play.room, POLICY))
    assert len(deadlines) == 1


def test_a_room_that_no_node_is_connected_to() -> None:
    """A room that is looked at without presence expires: nobody is known to be away, and nobody is connected."""
    after = advance(new_room(), Moment(T0 + DAY_MS, POLICY))
    assert after.room.closed
    assert after.events == (Closed(),)
