"""The room as one frozen value, and what can be read off it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.commands import Close
from noughts.room.room import Phase, Room, mark_of, players_of
from noughts.room.seat import EngineSeat, Player
from tests.support.room_play import (
    ADA,
    BOB,
    INVITE,
    RoomPlay,
    against_engine,
    alone,
    engines,
    new_room,
    open_room,
    pair,
    resign,
    room_of,
    sit,
    stand,
    stood_in,
)


def test_phases_of_an_evening() -> None:
    """A room waits while a seat is empty, plays while a game is on, is finished after it, and closed for good."""
    play = alone()
    phases: list[Phase] = [play.room.phase]
    for person, command in (
        (BOB, sit("O", INVITE)),
        (BOB, resign()),
        (BOB, stand()),
        (BOB, sit("O", INVITE)),
        (ADA, Close("c")),
    ):
        play.ask(person, command)
        phases.append(play.room.phase)
    assert phases == ["waiting", "playing", "finished", "waiting", "playing", "closed"]


@pytest.mark.parametrize(
    ("play", "has_engine", "engines_only"),
    [
        (RoomPlay(room_of(EngineSeat("casual"), None)), True, False),
        (pair(), False, False),
        (against_engine(), True, False),
        (stood_in(), True, False),
        (engines(), True, True),
    ],
)
def test_engines_in_a_room(play: RoomPlay, has_engine: bool, engines_only: bool) -> None:
    """An engine holds a seat, or both."""
    assert (play.room.has_engine, play.room.engines_only) == (has_engine, engines_only)


@pytest.mark.parametrize(
    ("room", "open_to_all"),
    [
        (open_room(), True),
        (replace(open_room(), visibility="unlisted"), False),
        (replace(open_room(), join="invite"), False),
        (replace(open_room(), closed=True), False),
        (pair(visibility="public", join="open").room, False),
    ],
)
def test_open_to_all(room: Room, open_to_all: bool) -> None:
    """The lobby lists a public room that anyone may join, while a seat is empty."""
    assert room.open_to_all is open_to_all


def test_the_mark_of_a_player() -> None:
    """A player has the mark of their seat, also while the engine stands in. A spectator has none."""
    for play in (pair(), stood_in()):
        assert [mark_of(play.room, player) for player in ("p_ada", "p_bob", "p_cat")] == ["X", "O", None]
    assert mark_of(engines().room, "p_ada") is None


def test_the_players_of_a_room() -> None:
    """Seat holders and the owner matter, each once; the owner too when without a seat."""
    assert players_of(pair().room) == players_of(stood_in().room) == ("p_ada", "p_bob")
    assert players_of(engines().room) == players_of(new_room()) == ("p_ada",)
    assert players_of(replace(pair().room, owner=Player("p_zed"))) == ("p_ada", "p_bob", "p_zed")
