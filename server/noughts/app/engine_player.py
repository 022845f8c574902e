"""The engine at the table: starts a search when a room waits for the engine, and brings the answer to the room."""

from __future__ import annotations

import asyncio
import random
from typing import Final

import structlog

from noughts.app.clock import ServerClock
from noughts.app.host import Host
from noughts.app.search.pool import SearchPool
from noughts.app.telemetry import Metrics
from noughts.errors import Rejection
from noughts.room.clock import MoveClock
from noughts.room.commands import EngineAnswered, EngineMoved
from noughts.room.room import CurrentGame, Room, clock_running, engine_due_ms
from noughts.room.seat import EngineSeat
from noughts.rules.outcome import other

_CLOCK_SHARE: Final = 20
"""On a clock the engine uses at most this part of its time for a move."""
_ACCEPTS: Final = {True: ("draw", "loss"), False: ("draw", "win")}
"""The verdicts at which the engine accepts a draw, by whether it is the engine's turn."""

log = structlog.get_logger()


class EnginePlayer:
    """Plays the engine's seats of all rooms."""

    def __init__(
        self,
        pool: SearchPool,
        clock: ServerClock,
        metrics: Metrics,
        think_s: float,
        rng: random.Random,
    ) -> None:
        self._pool = pool
        self._clock = clock
        self._metrics = metrics
        self._think_s = think_s
        self._rng = rng

    def consider(self, host: Host) -> None:
        """Begin a search if the room waits for the engine now; call off one that it no longer waits for."""
        room = host.room
        due_ms = None if room is None else engine_due_ms(room, host.around.house)
        about = None
        if room is not None and room.game is not None and due_ms is not None and due_ms <= self._clock.now_ms():
            about = (room.game.number, room.game.play.ply, _draw_offered(room))
        if about == host.thinking_about:
            return
        if host.thinking is not None:
            host.thinking.cancel()
        host.thinking, host.thinking_about = None, about
        if about is not None and room is not None and room.game is not None:
            host.thinking = asyncio.get_running_loop().create_task(self._think(host, room, room.game, about))

    async def _think(self, host: Host, room: Room, game: CurrentGame, about: tuple[int, int, bool]) -> None:
        command: EngineMoved | EngineAnswered | None = None
        started_s = self._clock.now_s()
        try:
            variant, cells = game.play.variant, game.play.moves
            seconds = self._seconds(room, game)
            if about[2]:
                verdict = await self._pool.verdict(variant, cells, seconds)
                own_turn = isinstance(room.seat(game.play.position.turn), EngineSeat)
                accepted = verdict.value in _ACCEPTS[own_turn]
                command = EngineAnswered(game.number, game.play.ply, accepted, cells)
            else:
                seat = room.seat(game.play.position.turn)
                if not isinstance(seat, EngineSeat):
                    return
                seed = self._rng.getrandbits(32)
                choice = await self._pool.move(variant, cells, seat.level, seconds, seed)
                command = EngineMoved(game.number, game.play.ply, choice.cell, cells)
            self._metrics.searches.labels(variant.key).inc()
            self._metrics.search_seconds.observe(self._clock.now_s() - started_s)
        except Rejection as refused:
            log.warning("the engine could not think", room=host.id, code=refused.code)
        except Exception:
            self._metrics.faults.inc()
            log.exception("a search failed", room=host.id)
        # From here on nothing may call this task off: the answer is on its way into the room. Until it is there the room
        # still waits for what it has: that is not to be searched again.
        if host.thinking_about == about:
            host.thinking = None
        try:
            if command is None:
                host.look_again()
            else:
                await host.tell(command)
        except Rejection as refused:
            log.debug("the room went on without the engine", room=host.id, code=refused.code)
        except Exception:
            self._metrics.faults.inc()
            log.exception("the engine's answer failed", room=host.id)
            host.look_again()
        finally:
            if host.thinking_about == about and host.thinking is None:
                host.thinking_about = None

    def _seconds(self, room: Room, game: CurrentGame) -> float:
        turn = clock_running(room)
        if turn is None or room.clock is None:
            return self._think_s
        left_ms = room.clock.move_ms / 4 if isinstance(room.clock, MoveClock) else game.left_ms(turn) / _CLOCK_SHARE
        return max(0.05, min(self._think_s, left_ms / 1000))


def _draw_offered(room: Room) -> bool:
    return any(offer.what == "draw" and isinstance(room.seat(other(offer.by)), EngineSeat) for offer in room.offers)
