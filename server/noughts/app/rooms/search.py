"""A search of the engine for one room."""

from __future__ import annotations

import asyncio

from noughts.room.room import Room
from noughts.room.timers import draw_offered_to_engine


class Search:
    """What a search is about, and its task. A search without a task has its answer: that is on its way into the room."""

    __slots__ = ("draw_offered", "game", "moves", "task")

    def __init__(self, game: int, moves: tuple[int, ...], draw_offered: bool) -> None:
        self.game = game
        self.moves = moves
        self.draw_offered = draw_offered
        self.task: asyncio.Task[None] | None = None

    def is_wanted_by(self, room: Room) -> bool:
        """Return whether the room still waits for this search: its game has not moved on, and no draw offer comes first."""
        game = room.game
        if game is None or not room.playing or (game.number, game.history.moves) != (self.game, self.moves):
            return False
        return self.task is None or self.draw_offered == draw_offered_to_engine(room)

    def cancel(self) -> None:
        """Call the search off."""
        if self.task is not None:
            self.task.cancel()
