"""Lag: given back from a quota of each side, so that a client gains little by answering pings late."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from noughts.room.clock import FischerClock
from noughts.room.lag import LAG_GAIN_MS, LAG_QUOTA_MS, lag_given, lag_of, quota_after_move
from noughts.room.storage import room_bytes, room_from
from noughts.rules.by_mark import ByMark
from tests.support.room_play import ADA, BOB, MOVE_5S, RoomPlay, finished, offer, pair, playing

FISCHER: FischerClock = FischerClock(60_000, 0)


def charged(play: RoomPlay, elapsed_ms: int, cell: str) -> int:
    """Let time pass, then fill a cell. Return what the side was charged."""
    mark = play.game.history.turn
    before_ms = play.game.left_ms.of(mark)
    play.now_ms += elapsed_ms
    play.moves(cell)
    return before_ms - play.game.left_ms.of(mark)


@pytest.mark.parametrize(
    ("elapsed_ms", "lag_ms", "given_ms"), [(0, 300, 0), (100, 0, 0), (100, 300, 100), (1_000, 300, 300), (-5, 300, 0)]
)
def test_no_more_lag_is_given_than_was_used(elapsed_ms: int, lag_ms: int, given_ms: int) -> None:
    """Nor more than a move took too long, on a clock for one move."""
    assert lag_given(FISCHER, elapsed_ms, 60_000, lag_ms) == given_ms
    assert lag_given(MOVE_5S, 5_000 + elapsed_ms, 5_000, lag_ms) == given_ms
    assert lag_given(MOVE_5S, elapsed_ms, 5_000, lag_ms) == 0


def test_feigned_lag_gains_little() -> None:
    """A client that answers pings 700 ms late is charged most of its moves of 450 ms."""
    play = pair(variant="gomoku", clock=FISCHER)
    play.lag_ms = {ADA.player: 700}
    play.moves("o15", "o1")
    costs = []
    for number, column in enumerate("abcdefghij"):  # no five in a row
        costs.append(charged(play, 450, f"{column}{8 + number % 2}"))
        play.moves(f"{column}{4 + number % 2}")
    assert costs == [0, 300, 350, *[450 - LAG_GAIN_MS] * 7]


def test_a_usual_network_is_always_given_back() -> None:
    """A lag of the gain at most never uses the quota up."""
    play = playing(clock=FISCHER)
    play.lag_ms = {ADA.player: LAG_GAIN_MS, BOB.player: 30}
    for cell, cost_ms in (("c3", 900), ("a3", 970), ("a2", 900), ("c2", 970)):
        assert charged(play, 1_000, cell) == cost_ms
        assert play.game.lag_quota_ms is None
    play = playing(clock=FISCHER)  # each side has a quota of its own
    play.lag_ms = {ADA.player: 400, BOB.player: 400}
    assert [charged(play, 1_000, cell) for cell in ("c3", "a3", "a2", "c2")] == [600, 600, 800, 800]


def test_a_quota_fills_again_up_to_its_limit() -> None:
    play = playing(clock=FISCHER)
    game = replace(play.game, lag_quota_ms=ByMark(450, 120))
    assert quota_after_move(game, "O", 0) == ByMark(450, 220)
    assert quota_after_move(game, "X", 300) == ByMark(250, 120)
    assert quota_after_move(game, "X", 0) == ByMark(LAG_QUOTA_MS, 120)
    assert quota_after_move(replace(game, lag_quota_ms=ByMark(LAG_QUOTA_MS, 450)), "O", 0) is None


def test_a_quota_is_part_of_the_game() -> None:
    """It is stored with it, and the next game begins with a full one."""
    play = playing(clock=FISCHER)
    play.lag_ms = {ADA.player: 400}
    charged(play, 1_000, "c3")
    game = room_from(room_bytes(play.room)).game
    assert game is not None
    assert game.lag_quota_ms == ByMark(LAG_QUOTA_MS - 400 + LAG_GAIN_MS, LAG_QUOTA_MS)
    again = finished(clock=FISCHER)
    again.room = replace(again.room, game=replace(again.game, lag_quota_ms=ByMark(0, 0)))
    for person in (ADA, BOB):
        again.ask(person, offer("rematch"))
    assert again.game.number == 2
    assert again.game.lag_quota_ms is None


def test_an_engine_and_a_stranger_have_no_lag() -> None:
    play = playing(clock=FISCHER)
    assert lag_of(play.room, play.game, "X", play.presence) == 0
    empty = replace(play.room, seats=ByMark(None, None))
    assert lag_of(empty, play.game, "X", play.presence) == 0
