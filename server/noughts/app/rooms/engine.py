"""The engine as a player: it searches when a room waits for it, and submits the answer to the room."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Final, NamedTuple, TypeVar

import structlog

from noughts.app.machines.errand import Errand
from noughts.app.machines.node_parts import NodeParts
from noughts.app.machines.replies import RETRY_MS
from noughts.app.rooms.on_node import HOLDER_WAIT_MS, RoomOnNode
from noughts.app.search.pool import SearchFaultError, SearchPool
from noughts.app.search.search import Caller, caller_at
from noughts.engine.one_ply import choose_at_once, one_ply_move
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.errors import Rejection
from noughts.room.clock import FischerClock
from noughts.room.commands import EngineDrawAnswer, EngineMoved, EngineSwapped
from noughts.room.policy import Policy
from noughts.room.presence import Presence
from noughts.room.room import Room, RoomGame, clock_running
from noughts.room.seat import EngineSeat, HumanSeat
from noughts.room.swap import may_swap
from noughts.room.timers import draw_offered_to_engine, engine_at_ms, flag_at_ms
from noughts.rules.game import Game
from noughts.rules.outcome import MARKS

CLOCK_SHARE: Final = 20
"""On a Fischer clock the engine divides its time by this number, and uses at most that for a move."""
MIN_SEARCH_S: Final = 0.05
_ACCEPTS: Final = {True: ("draw", "loss"), False: ("draw", "win")}
"""The verdicts at which the engine accepts a draw: for True it is the engine's turn, for False the opponent's."""

T = TypeVar("T")

log = structlog.get_logger()


class Question(NamedTuple):
    """The room with the position that a search is about, and whether a draw was offered in it."""

    room: Room
    game: RoomGame
    draw_offered: bool


class EnginePlayer(Errand[RoomOnNode, Room, Question]):
    """Plays the engine's seats in the rooms of this node."""

    def __init__(self, parts: NodeParts, pool: SearchPool, policy: Policy) -> None:
        super().__init__(parts.state, parts.tasks)
        self._pool = pool
        self._policy = policy
        self._metrics = parts.metrics
        self._think_s = parts.config.think_ms / 1000
        self._rng = parts.rng

    def concerns(self, value: Room) -> bool:
        return value.has_engine

    def due_at_ms(self, actor: RoomOnNode) -> int | None:
        at_ms = engine_at_ms(actor.value, actor.presence, self._policy)
        return at_ms if at_ms is None or actor.keeps else at_ms + HOLDER_WAIT_MS

    def about(self, actor: RoomOnNode) -> Question:
        room = actor.value
        assert room.game is not None  # the engine has something to do
        return Question(room, room.game, draw_offered_to_engine(room))

    def wanted_by(self, value: Room, about: Question) -> bool:
        """Return whether the game has not moved on, and no draw offer came or went."""
        game, searched = value.game, about.game
        if (
            game is None
            or not value.playing
            or (game.number, game.history.moves) != (searched.number, searched.history.moves)
        ):
            return False
        return about.draw_offered == draw_offered_to_engine(value)

    def note_lost(self, error: BaseException) -> None:
        if isinstance(error, Rejection | asyncio.CancelledError):
            self._metrics.searches_discarded += 1
        else:
            self._metrics.faults += 1

    async def answer(self, actor: RoomOnNode, about: Question) -> EngineMoved | EngineSwapped | EngineDrawAnswer:
        room, game, draw_offered = about
        history, began_s = game.history, self._node.clock.now_s()
        seat, seconds = room.seat(history.position.turn), self._seconds(room, game)
        command: EngineMoved | EngineSwapped | EngineDrawAnswer
        if draw_offered and not accepts_draws(history):
            command = EngineDrawAnswer(game.number, history.moves, accept=False)
        elif draw_offered:
            verdict = await self._verdict(actor, room, history, seconds)
            accept = verdict.value in _ACCEPTS[isinstance(seat, EngineSeat)]
            command = EngineDrawAnswer(game.number, history.moves, accept)
        elif may_swap(room) and (await self._verdict(actor, room, history, seconds)).value == "loss":
            command = EngineSwapped(game.number, history.moves)
        else:
            assert isinstance(seat, EngineSeat)  # the engine had something to do, and no offer to answer
            cell = await self._cell(actor, room, game, seat.level, seconds)
            if room.swap and not history.moves:
                cell = await self._fair_opening(actor, room, history, cell, began_s + seconds)
            command = EngineMoved(game.number, history.moves, cell)
        self._metrics.search_done(history.variant.key, self._node.clock.now_s() - began_s)
        return command

    async def _fair_opening(self, actor: RoomOnNode, room: Room, history: Game, chosen: int, end_s: float) -> int:
        """Return a first move that O need not take over: the chosen one, or another if after that one O has lost."""
        others = [cell for cell in history.legal() if cell != chosen]
        self._rng.shuffle(others)
        for cell in (chosen, *others):
            left_s = end_s - self._node.clock.now_s()
            if left_s <= 0:
                break
            if (await self._verdict(actor, room, history.play(cell), left_s)).value != "loss":
                return cell
        return chosen

    async def _verdict(self, actor: RoomOnNode, room: Room, history: Game, seconds: float) -> Verdict:
        """Return the verdict for the side to move."""
        search = self._pool.verdict(history.variant, history.moves, seconds, _caller(actor, room))
        return await self._awaited(search, actor, room) or UNKNOWN

    async def _cell(self, actor: RoomOnNode, room: Room, game: RoomGame, level: str, seconds: float) -> int:
        """Return the engine's move. It needs a worker only if it needs a search."""
        history, seed = game.history, self._rng.getrandbits(32)
        offered = self._policy.levels.get(history.variant.key, (level,))
        if level not in offered:
            level = offered[-1]  # the stored level has another name now, or it needs a program that does not run here
        choice = choose_at_once(history, level, random.Random(seed))
        if choice is None:
            search = self._pool.move(history.variant, history.moves, level, seconds, seed, _caller(actor, room))
            choice = await self._awaited(search, actor, room)
        return one_ply_move(history.position, random.Random(seed)) if choice is None else choice.cell

    async def _awaited(self, search: Coroutine[None, None, T], actor: RoomOnNode, room: Room) -> T | None:
        """Return the answer of a worker. Return None if the search failed or the clock does not allow the wait.

        Raise ``unavailable`` if no worker is left, and there is time for another try.
        """
        wait_s = patience_s(room, actor.presence, self._node.clock.now_ms())
        try:
            async with asyncio.timeout(wait_s):
                return await search
        except TimeoutError:
            reason = "no worker answered in time"
        except SearchFaultError as error:
            self._metrics.faults += 1
            reason = str(error)
        except Rejection as rejection:
            if wait_s is None or wait_s > RETRY_MS / 1000:
                raise
            reason = rejection.message
        log.error("the engine answered without a search", room=room.id, reason=reason)
        return None

    def _seconds(self, room: Room, game: RoomGame) -> float:
        turn = clock_running(room)
        if turn is None or room.clock is None:
            return self._think_s
        left_ms = (
            game.left_ms.of(turn) / CLOCK_SHARE if isinstance(room.clock, FischerClock) else room.clock.move_ms / 4
        )
        return max(MIN_SEARCH_S, min(self._think_s, left_ms / 1000))


def accepts_draws(game: Game) -> bool:
    """Return whether a game is so far on that the engine may accept a draw: at least half of the cells are full.

    In vanishing, where cells empty again, as many marks have been placed as stay on the board.
    """
    kept = game.variant.marks_kept
    return 2 * game.ply >= game.variant.cells if kept is None else game.ply >= 2 * kept


def patience_s(room: Room, presence: Presence, now_ms: int) -> float | None:
    """Return how long the engine may wait for the answer of a worker, in seconds; None without a clock.

    On a Fischer clock most of the time that is left is for later moves.
    """
    flag_at = flag_at_ms(room, presence)
    if flag_at is None:
        return None
    part = 4 / CLOCK_SHARE if isinstance(room.clock, FischerClock) and clock_running(room) else 0.5
    return part * max(0, flag_at - now_ms) / 1000


def _caller(actor: RoomOnNode, room: Room) -> Caller:
    """Return the person who plays the engine, or the owner of a room of two engines, at the address of a connection."""
    for mark in MARKS:
        seat = room.seat(mark)
        if isinstance(seat, HumanSeat):
            return caller_at(actor.connections.address(mark), seat.player)
    return caller_at(actor.connections.address(None), room.owner.player, person=False)
