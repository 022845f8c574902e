"""A search for one room, as the room sees it."""

from __future__ import annotations

import asyncio

from noughts.room.room import Room
from noughts.room.timers import draw_offered_to_engine


class RoomSearch:
    """The position that a search is about, and its task.

    The task becomes None when the search has its answer and submits it to the room.
    """

    __slots__ = ("draw_offered", "game", "moves", "task")

    def __init__(self, game: int, moves: tuple[int, ...], draw_offered: bool) -> None:
        self.game = game
        self.moves = moves
        self.draw_offered = draw_offered
        self.task: asyncio.Task[None] | None = None

    def is_wanted_by(self, room: Room) -> bool:
        """Return whether the room still needs this search: the game has not moved on, and no draw offer came or went."""
        game = room.game
        if game is None or not room.playing or (game.number, game.history.moves) != (self.game, self.moves):
            return False
        return self.task is None or self.draw_offered == draw_offered_to_engine(room)

    def cancel(self) -> None:
        """Cancel the search."""
        if self.task is not None:
            self.task.cancel()
