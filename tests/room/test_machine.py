"""Random evenings in every variant: what is true of a room after every step, whatever was asked of it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from noughts.errors import Rejection
from noughts.room.commands import AnyCommand, Request
from noughts.room.events import Ended, Event, Said
from noughts.room.record import room_bytes, room_from
from noughts.room.room import NOBODY, Room
from noughts.room.step import step
from noughts.rules.game import replay
from noughts.rules.variant import VARIANTS
from tests.room.evening import Evening

QUIET = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


class Watch:
    """Looks at every accepted step, and keeps its own books of the games that count."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.draws = 0

    def __call__(self, before: Room, command: AnyCommand, after: Room, events: tuple[Event, ...]) -> None:
        if after is before:
            assert all(not isinstance(event, Ended) for event in events)
            return
        assert after.version == before.version + 1
        self._legal(after)
        self._offers(before, after)
        self._score(before, after, events)
        again = room_from(room_bytes(after))
        assert again == replace(after, presence=NOBODY)
        assert room_bytes(again) == room_bytes(after)
        if before.closed:
            assert after.closed
        if isinstance(command, Request):
            assert not before.closed
            assert not any(isinstance(event, Said) for event in events)
        seats = [seat for seat in (after.x, after.o) if seat is not None]
        assert len(set(map(repr, seats))) == len(seats) or after.engines_only, "one seat of a room for a player"
        if after.playing:
            assert len(seats) == 2
            assert not (before.playing and before.game and after.game and before.game.number != after.game.number)
        assert all(mark in "XO" for mark in after.claimable)
        assert not after.claimable or after.playing

    def _legal(self, room: Room) -> None:
        game = room.game
        if game is None:
            assert room.games == 0
            return
        play = game.play
        again = replay(play.variant, play.moves)
        assert again.position == play.position
        assert again.outcome == play.outcome
        assert game.number == room.games
        assert len(game.by) == len(game.at_ms) == play.ply
        assert all(early <= late for early, late in pairwise((game.started_ms, *game.at_ms, game.turn_since_ms)))
        if play.outcome is not None:
            assert game.outcome == play.outcome
        if game.outcome is not None:
            assert game.turn is None
            assert game.outcome.reason not in ("line", "full_board", "repetition", "ply_limit") or play.outcome
        assert min(game.x_ms, game.o_ms) >= 0

    def _offers(self, before: Room, after: Room) -> None:
        sides = [offer.by for offer in after.offers]
        whats = [offer.what for offer in after.offers]
        assert len(set(sides)) == len(sides), "one of each side at a time"
        assert len(set(whats)) == len(whats), "the same from the other side accepts"
        if "rematch" in whats:
            assert after.phase == "finished"
            assert (before.x, before.o) == (after.x, after.o) or _names_only(before, after)
        if "draw" in whats or "takeback" in whats:
            assert after.playing
        if after.closed:
            assert not whats
        if before.game is not None and after.game is not None and before.game.play != after.game.play:
            assert not whats, "no offer survives a move"

    def _score(self, before: Room, after: Room, events: tuple[Event, ...]) -> None:
        for event in events:
            if not isinstance(event, Ended) or event.reason == "aborted":
                continue
            game = after.game if after.game is not None and after.game.number == event.game else before.game
            assert game is not None
            if game.stand_in:
                continue
            if event.winner is None:
                self.draws += 1
            else:
                seat = game.x if event.winner == "X" else game.o
                self.wins[seat.player if hasattr(seat, "player") else f"engine:{seat.level}"] += 1
        assert after.draws == self.draws
        assert {entry.player: entry.wins for entry in after.score if entry.wins} == dict(self.wins)
        assert len({entry.player for entry in after.score}) == len(after.score)


def _names_only(before: Room, after: Room) -> bool:
    return [getattr(seat, "player", None) for seat in (before.x, before.o)] == [
        getattr(seat, "player", None) for seat in (after.x, after.o)
    ]


@pytest.mark.parametrize("variant", list(VARIANTS))
@QUIET
@given(choose=st.randoms(use_true_random=False))
def test_an_evening_is_right_after_every_step(variant: str, choose: random.Random) -> None:
    for _ in Evening(choose, variant, Watch()).spend(60):
        pass


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("seed", range(6))
def test_a_long_evening_is_right_after_every_step(variant: str, seed: int) -> None:
    for _ in Evening(random.Random(f"{variant} {seed}"), variant, Watch()).spend(500):
        pass


@pytest.mark.parametrize("seed", range(30))
def test_an_illegal_command_changes_nothing(seed: int) -> None:
    evening = Evening(random.Random(seed), "classic")
    seen = set()
    for _ in evening.spend(60):
        room = evening.room
        kept, presence = room_bytes(room), room.presence
        for _ in range(3):
            try:
                step(room, evening.some_request(), evening.now_ms, evening.house)
            except Rejection as rejection:
                seen.add(rejection.code)
            assert room_bytes(room) == kept
            assert room.presence == presence
    assert seen
