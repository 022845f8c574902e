"""The room of a match of a tournament: its games, its fixed seats and settings, and the time to think."""

from __future__ import annotations

import pytest

from noughts.room.clock import FIRST_MOVE_MS
from noughts.room.commands import (
    BeginGame,
    Chat,
    Claim,
    Close,
    Discard,
    EndGame,
    Free,
    Mute,
    Offer,
    React,
    Resign,
    RoomCommand,
    SeatEngine,
    Set,
    Sit,
    Stand,
)
from noughts.room.downtime import Downtime
from noughts.room.events import Closed
from noughts.room.match_play import thought_ms
from noughts.room.timers import MATCH_KEPT_MS, OWNER_AWAY_MS, expires_ms
from noughts.rules.outcome import Outcome
from tests.support.room_play import ADA, BOB, CAT, POLICY, match_play


def test_the_first_game_begins_with_the_room() -> None:
    room = match_play().room
    assert room.playing
    assert (room.games, room.version, room.join, room.invite, room.visibility) == (1, 1, None, None, "unlisted")
    assert room.owner == CAT.nameless


FIXED: tuple[RoomCommand, ...] = (
    Sit("1", "X"), SeatEngine("1", "O", "novice"), Stand("1"), Offer("1", "takeback"), Offer("1", "rematch"),
)  # fmt: skip
OWNED: tuple[RoomCommand, ...] = (Set("1", visibility="public"), Free("1", "X"), Close("1"))


@pytest.mark.parametrize("command", FIXED, ids=str)
def test_players_cannot_change_seats_nor_take_back(command: RoomCommand) -> None:
    play = match_play()
    for person in (ADA, BOB):
        assert play.code(person, command) == "forbidden"


@pytest.mark.parametrize("command", OWNED, ids=str)
def test_the_host_cannot_change_settings(command: RoomCommand) -> None:
    play = match_play()
    assert play.code(CAT, command) == "forbidden"


def test_the_host_cannot_seat_an_engine_nor_sit() -> None:
    play = match_play()
    assert play.code(CAT, SeatEngine("1", "O", "novice")) == "forbidden"
    assert play.code(CAT, Sit("1", "O")) == "forbidden"


def test_resigning_draws_and_claims_work_as_ever() -> None:
    play = match_play()
    play.ask(ADA, Offer("1", "draw"))
    play.ask(BOB, Offer("1", "draw"))
    assert play.game.outcome == Outcome(None, "agreement")
    play.step(BeginGame(2))
    play.ask(ADA, Resign("2"))
    assert play.game.outcome == Outcome("X", "resignation")
    play = match_play()
    assert play.code(ADA, Claim("1", "win")) == "forbidden"


def test_there_is_chat_only_if_the_host_wants_it() -> None:
    for person in (ADA, BOB, CAT):
        assert match_play().code(person, Chat("1", "hello")) == "forbidden"
        assert match_play(chat=True).ask(person, Chat("1", "hello"))
        assert match_play().ask(person, React("1", "👍"))
    assert match_play().code(CAT, Mute("1", ADA.player, True)) == "forbidden"
    assert match_play(chat=True).ask(CAT, Mute("1", ADA.player, True))


def test_the_tournament_begins_the_second_game() -> None:
    play = match_play()
    assert play.rejection(BeginGame(2)).code == "stale"
    play.ask(ADA, Resign("1"))
    assert play.rejection(BeginGame(1)).code == "stale"
    play.step(BeginGame(2))
    assert (play.game.number, play.room.seats.X.player) == (2, BOB.player)  # type: ignore[union-attr]
    assert play.rejection(BeginGame(2)).code == "stale"


def test_the_tournament_ends_a_game() -> None:
    play = match_play()
    assert play.rejection(EndGame(2, "X", "resignation")).code == "stale"
    play.step(EndGame(1, "O", "resignation"))
    assert play.game.outcome == Outcome("O", "resignation")
    assert play.rejection(EndGame(1, "O", "resignation")).code == "stale"


def test_the_bell_draws_a_game_and_aborts_one_without_a_move() -> None:
    play = match_play()
    play.step(EndGame(1, None, "bell"))
    assert play.game.outcome == Outcome(None, "aborted")
    play.step(BeginGame(2))
    play.moves("b2")
    play.step(EndGame(2, None, "bell"))
    assert play.game.outcome == Outcome(None, "bell")
    assert play.room.draws == 1


def test_the_room_of_a_match_can_be_discarded() -> None:
    play = match_play()
    assert play.step(Discard()) == (Closed(),)
    closed = play.room
    assert (closed.phase, closed.game is not None) == ("closed", True)
    play.step(Discard())
    assert play.room is closed


def test_the_host_stays_the_owner_when_away() -> None:
    play = match_play()
    play.disconnect(CAT)
    play.wait(OWNER_AWAY_MS + FIRST_MOVE_MS)
    assert play.room.owner == CAT.nameless


def test_a_finished_room_is_kept_for_a_short_time() -> None:
    play = match_play()
    play.ask(ADA, Resign("1"))
    assert expires_ms(play.room, play.presence, POLICY) == play.room.used_ms + MATCH_KEPT_MS


def test_the_time_to_think_leaves_out_first_moves_and_downtime() -> None:
    play = match_play()
    for cell, waits_ms in (("a1", 9_000), ("b2", 8_000), ("c3", 1_000), ("a3", 500)):
        play.now_ms += waits_ms
        play.moves(cell)
    assert thought_ms(play.game) == (1_000, 500)
    play.now_ms += 3_000
    play.ask(BOB, Resign("1"))
    assert thought_ms(play.game) == (4_000, 500)
    away = Downtime(play.now_ms - 2_000, play.now_ms - 1_000)
    assert thought_ms(play.game, (away,)) == (3_000, 500)
