"""The engine as a player: it searches when a room waits for it, and submits the answer to the room."""

from __future__ import annotations

import asyncio
import random
from typing import Final

import structlog

from noughts.app.rooms.actor import RoomActor
from noughts.app.rooms.circumstances import Circumstances
from noughts.app.rooms.keeper import SEARCH_WAIT_MS
from noughts.app.rooms.search import Search
from noughts.app.runtime.telemetry import Metrics
from noughts.app.search.pool import SearchPool
from noughts.errors import Rejection
from noughts.room.clock import MoveClock
from noughts.room.commands import EngineDrawAnswer, EngineMoved
from noughts.room.room import Room, RoomGame, clock_running
from noughts.room.seat import EngineSeat
from noughts.room.timers import draw_offered_to_engine, engine_at_ms

CLOCK_SHARE: Final = 20
"""On a Fischer clock the engine divides its time by this number, and uses at most that for a move."""
MIN_SEARCH_S: Final = 0.05
_ACCEPTS: Final = {True: ("draw", "loss"), False: ("draw", "win")}
"""The verdicts at which the engine accepts a draw: for True it is the engine's turn, for False the opponent's."""

log = structlog.get_logger()


class EnginePlayer:
    """Plays the engine's seats in the rooms of this node."""

    def __init__(
        self, pool: SearchPool, circumstances: Circumstances, metrics: Metrics, think_s: float, rng: random.Random
    ) -> None:
        self._pool = pool
        self._circumstances = circumstances
        self._metrics = metrics
        self._think_s = think_s
        self._rng = rng

    def consider(self, actor: RoomActor) -> None:
        """Begin a search if the engine is to move or to answer now, and no search is under way for the room."""
        room, game = actor.room, actor.room.game
        at_ms = engine_at_ms(room, actor.presence, self._circumstances.policy)
        if at_ms is not None and not actor.visitors.keeps:
            at_ms += SEARCH_WAIT_MS
        if actor.closed or game is None or at_ms is None or at_ms > self._circumstances.clock.now_ms():
            return
        if actor.search is not None:
            return
        search = Search(game.number, game.history.moves, draw_offered_to_engine(room))
        actor.search = search
        search.task = asyncio.get_running_loop().create_task(self._search(actor, search, room, game))

    async def _search(self, actor: RoomActor, search: Search, room: Room, game: RoomGame) -> None:
        retry = True
        try:
            command = await self._answer(room, game, search.draw_offered)
            if command is not None:
                retry = False
                # The answer is now a command. Without a task it cannot be cancelled, and no other search begins meanwhile.
                search.task = None
                await actor.tell(command)
        except asyncio.CancelledError:
            self._metrics.searches_discarded += 1
            raise
        except Rejection as rejection:
            retry = True
            self._metrics.searches_discarded += 1
            log.debug("the room went on without the engine", room=room.id, code=rejection.code)
        except Exception:
            self._metrics.faults += 1
            log.exception("a search failed", room=room.id)
        finally:
            actor.search_ended(search, retry=retry)

    async def _answer(self, room: Room, game: RoomGame, draw_offered: bool) -> EngineMoved | EngineDrawAnswer | None:
        history = game.history
        seconds, began_s = self._seconds(room, game), self._circumstances.clock.now_s()
        seat = room.seat(history.position.turn)
        command: EngineMoved | EngineDrawAnswer
        if draw_offered:
            verdict = await self._pool.verdict(history.variant, history.moves, seconds)
            accept = verdict.value in _ACCEPTS[isinstance(seat, EngineSeat)]
            command = EngineDrawAnswer(game.number, history.moves, accept)
        elif isinstance(seat, EngineSeat):
            seed = self._rng.getrandbits(32)
            choice = await self._pool.move(history.variant, history.moves, seat.level, seconds, seed)
            command = EngineMoved(game.number, history.moves, choice.cell)
        else:
            return None
        self._metrics.search_done(history.variant.key, self._circumstances.clock.now_s() - began_s)
        return command

    def _seconds(self, room: Room, game: RoomGame) -> float:
        turn = clock_running(room)
        if turn is None or room.clock is None:
            return self._think_s
        left_ms = room.clock.move_ms / 4 if isinstance(room.clock, MoveClock) else game.left_ms.of(turn) / CLOCK_SHARE
        return max(MIN_SEARCH_S, min(self._think_s, left_ms / 1000))
