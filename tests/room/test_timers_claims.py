"""What happens in a room without a command: a player is away, the grace passes, and the opponent may claim."""

from __future__ import annotations

import pytest

from noughts.room.clock import ClockSetting, FischerClock, MoveClock
from noughts.room.storage import room_bytes, room_from
from noughts.room.timers import claimable_at_ms, grace_ms, may_claim, seat_away_since_ms
from tests.support.room_play import (
    ADA,
    BOB,
    POLICY,
    against_engine,
    alone,
    bob_away,
    claim,
    engines,
    finished,
    offer,
    pair,
    playing,
    stood_in,
)

HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("clock", "ms"),
    [
        (None, 30_000),
        (FischerClock(60_000, 0), 20_000),
        (MoveClock(3_000), 5_000),
        (FischerClock(10_800_000, 0), 30_000),
    ],
)
def test_the_grace(clock: ClockSetting | None, ms: int) -> None:
    """On a clock the grace is at most a third of it, or five seconds if that is more."""
    assert grace_ms(pair(clock=clock).room, POLICY) == ms


def test_the_absence_of_the_player_to_move() -> None:
    """Whose turn it is does not matter: X may be claimed against too."""
    play = playing()
    play.disconnect(ADA)
    play.wait(30_000)
    assert play.claimable() == ("X",)
    play.ask(BOB, claim("win"))
    assert play.outcome() == ("O", "abandoned")


def test_a_claim_is_never_automatic() -> None:
    """However long the absence, the game continues until the opponent claims."""
    play = bob_away(24 * HOUR_MS)
    assert play.outcome() is None
    assert play.claimable() == ("O",)


def test_a_short_absence() -> None:
    """An absence within the grace gives no claim and costs no version."""
    play = bob_away(29_999)
    version = play.room.version
    play.connect(BOB)
    play.wait(60_000)
    assert play.room.version == version
    assert play.code(ADA, claim("win")) == "forbidden"


def test_a_claim_ends_with_the_return() -> None:
    """When the player is back, a new version says that the claim is gone."""
    play = bob_away()
    version = play.room.version
    play.connect(BOB)
    assert play.claimable() == ()
    assert play.room.version == version + 1
    assert play.code(ADA, claim("win")) == "forbidden"


def test_a_second_absence_has_the_whole_grace() -> None:
    """A player who was back for a moment, between two wake-ups, has the whole grace again."""
    play = bob_away()
    play.now_ms += 1_000
    play.away_since[BOB.player] = play.now_ms
    assert play.claimable() == ("O",)
    assert not may_claim(play.room, "O", play.presence, POLICY)
    assert play.code(ADA, claim("win")) == "forbidden"
    play.wait(0)
    assert play.claimable() == ()
    play.wait(29_999)
    assert play.claimable() == ()
    play.wait(1)
    assert play.claimable() == ("O",)


def test_a_restart_gives_the_whole_grace() -> None:
    """After a restart of the server an absent player has the whole grace again."""
    play = bob_away()
    play.room = room_from(room_bytes(play.room))
    play.now_ms += 5_000
    play.away_since = {ADA.player: None, BOB.player: play.now_ms}
    assert play.code(ADA, claim("win")) == "forbidden"
    play.wait(29_999)
    assert play.claimable() == ()
    play.wait(1)
    assert play.claimable() == ("O",)


def test_no_claim_in_an_empty_room() -> None:
    """While both are away nobody may claim; the first who is back may at once."""
    play = pair()
    play.disconnect(BOB, ADA)
    version = play.room.version
    play.wait(HOUR_MS)
    assert play.room.version == version
    play.connect(ADA)
    assert play.claimable() == ("O",)


def test_a_standing_claim_of_both_sides() -> None:
    """The claim against a player stands while the claimant is away too; only the absent one's return ends it."""
    play = bob_away()
    play.disconnect(ADA)
    play.wait(HOUR_MS)
    assert play.claimable() == ("O",)
    play.connect(BOB)
    assert play.claimable() == ("X",)


def test_the_engine_claims_nothing() -> None:
    """A player may leave a game against the engine for as long as they like."""
    play = against_engine()
    play.disconnect(ADA)
    play.wait(HOUR_MS)
    assert play.claimable() == ()
    assert play.outcome() is None


def test_a_grace_begins_with_the_game() -> None:
    """An absence before the game does not count against the player."""
    play = finished()
    play.ask(BOB, offer("rematch"))
    play.disconnect(BOB)
    play.wait(HOUR_MS)
    play.ask(ADA, offer("rematch"))
    assert claimable_at_ms(play.room, "X", play.presence, POLICY) == play.now_ms + 30_000


def test_seats_without_a_claim() -> None:
    """No claim is about an empty seat, an engine, a player who is here, or a game that is not on."""
    for play in (alone(), finished(), pair(), against_engine(), stood_in(), engines()):
        for mark in ("X", "O"):
            assert claimable_at_ms(play.room, mark, play.presence, POLICY) is None
            assert not may_claim(play.room, mark, play.presence, POLICY)


def test_since_when_a_seat_holder_is_away() -> None:
    """Only a player can be away, also one whose seat the engine holds."""
    play = stood_in()
    assert seat_away_since_ms(play.room, "O", play.presence) == play.away_since[BOB.player]
    assert seat_away_since_ms(play.room, "X", play.presence) is None
    for other in (alone(), against_engine()):
        assert seat_away_since_ms(other.room, "O", other.presence) is None
