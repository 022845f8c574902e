"""Random evenings in every variant: what is true of a room after every step, whatever was asked of it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noughts.room.commands import AnyCommand, Request
from noughts.room.events import Ended, Event, Reacted, Said
from noughts.room.room import Room, RoomGame
from noughts.room.seat import holder, mover
from noughts.room.storage import room_bytes, room_from
from noughts.room.transition import Moment, Transition
from noughts.rules.game import replay
from noughts.rules.outcome import MARKS
from noughts.rules.variant import VARIANTS
from tests.support.evening import Evening

QUIET = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


class Watch:
    """Looks at every accepted step, and keeps its own account of the games that count."""

    def __init__(self) -> None:
        self.wins: Counter[str] = Counter()
        self.draws = 0

    def __call__(self, before: Room, command: AnyCommand, moment: Moment, transition: Transition) -> None:
        after, events, finished = transition.room, transition.events, transition.finished
        if after is before:
            assert all(isinstance(event, Said | Reacted) for event in events)
            return
        assert after.version == before.version + 1
        assert after.used_ms == moment.now_ms
        self._check_game(after)
        self._check_offers(before, after)
        self._check_score(before, after, events)
        self._check_finished(finished, events)
        again = room_from(room_bytes(after))
        assert again == after
        assert room_bytes(again) == room_bytes(after)
        assert not before.closed or (after.closed and not isinstance(command, Request))
        players = [holder(seat) for seat in (after.seats.X, after.seats.O)]
        assert players[0] is None or players[0] != players[1], "one seat of a room for a player"
        if after.playing:
            assert after.full
            assert not (before.playing and before.game and after.game and before.game.number != after.game.number)
        assert all(mark in MARKS for mark in after.claimable)
        assert not after.claimable or after.playing

    def _check_game(self, room: Room) -> None:
        game = room.game
        if game is None:
            assert room.games == 0
            return
        history = game.history
        again = replay(history.variant, history.moves)
        assert again.position == history.position
        assert again.outcome == history.outcome
        assert game.number == room.games
        assert len(game.by) == len(game.at_ms) == history.ply
        assert all(early <= late for early, late in pairwise((game.started_ms, *game.at_ms, game.turn_since_ms)))
        if history.outcome is not None:
            assert game.outcome == history.outcome
        if game.outcome is not None:
            assert game.turn is None
            assert game.outcome.reason not in ("line", "full_board", "repetition", "ply_limit") or history.outcome
        assert min(game.left_ms.X, game.left_ms.O) >= 0

    def _check_offers(self, before: Room, after: Room) -> None:
        sides = [offer.by for offer in after.offers]
        whats = [offer.what for offer in after.offers]
        assert len(set(sides)) == len(sides), "one of each side at a time"
        assert len(set(whats)) == len(whats), "the same from the other side accepts"
        if "rematch" in whats:
            assert after.phase == "finished"
            assert [holder(before.seat(mark)) for mark in MARKS] == [holder(after.seat(mark)) for mark in MARKS]
        if "draw" in whats or "takeback" in whats:
            assert after.playing
        if after.closed:
            assert not whats
        if before.game is not None and after.game is not None and before.game.history != after.game.history:
            assert not whats, "no offer survives a move"

    def _check_score(self, before: Room, after: Room, events: tuple[Event, ...]) -> None:
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
                self.wins[mover(game.players.of(event.winner))] += 1
        assert after.draws == self.draws
        assert {entry.player: entry.wins for entry in after.score if entry.wins} == dict(self.wins)
        assert len({entry.player for entry in after.score}) == len(after.score)

    def _check_finished(self, finished: RoomGame | None, events: tuple[Event, ...]) -> None:
        ended = [event for event in events if isinstance(event, Ended)]
        if finished is None:
            assert not ended
            return
        assert finished.outcome is not None
        (event,) = ended
        assert (event.game, event.winner, event.reason) == (
            finished.number,
            finished.outcome.winner,
            finished.outcome.reason,
        )


@pytest.mark.parametrize("variant", list(VARIANTS))
@QUIET
@given(choose=st.randoms(use_true_random=False))
def test_every_step_of_an_evening(variant: str, choose: random.Random) -> None:
    """The room is right after every step, whatever Hypothesis asks for."""
    for _ in Evening(choose, variant, Watch()).acts(200):
        pass
