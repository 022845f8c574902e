"""Writes the view of a game as JSON, and reuses what was written for the position before."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from noughts.protocol.codec import encode
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.rules.outcome import MARKS
from noughts.rules.variant import Variant

_TURNS: Final = (b'},"turn":"X","legal":[', b'},"turn":"O","legal":[')
_NO_TURN: Final = b'},"turn":null,"legal":['


class _Items(NamedTuple):
    """The item of each cell of a variant in the lists of a view. Each begins with a comma."""

    names: tuple[bytes, ...]
    """In the lists of moves and of legal cells."""
    marks: tuple[tuple[bytes, ...], ...]
    """In the marks, for X and for O."""


@cache
def _items_of(variant: Variant) -> _Items:
    names = tuple([b',"%b"' % name.encode() for name in variant.names])
    return _Items(names, tuple([tuple([b'%b:"%b"' % (name, mark.encode()) for name in names]) for mark in MARKS]))


class GameWriter:
    """Writes the games of one room. After one more move, it extends the lists instead of writing them anew.

    In vanishing and ultimate a move changes more than its own cell, so their games are written anew each time.
    """

    __slots__ = ("_cells", "_items", "_legal", "_marks", "_moves", "_number", "_variant")

    def __init__(self) -> None:
        self._number = 0
        self._variant: Variant | None = None
        self._items = _Items((), ())
        self._cells: tuple[int, ...] = ()
        """The moves in the lists."""
        self._moves = b""
        """The view up to the list of moves, without its end."""
        self._marks = b""
        """The end of that list, and the marks without their end."""
        self._legal = b""
        """The free cells, each behind a comma."""

    def written(self, game: RoomGame, playing: bool) -> bytes:
        """Return the view of a game as JSON. With ``playing`` false, no side is to move."""
        history = game.history
        variant, cells = history.variant, history.moves
        if variant.nested or variant.marks_kept is not None:
            return encode(game_view(game, playing))
        if self._number != game.number or self._variant is not variant or cells[:-1] != self._cells:
            self._begin(game)
        if len(cells) > len(self._cells):
            self._carry_on(cells[-1], len(cells) - 1)
            self._cells = cells
        if not playing:
            turn, legal = _NO_TURN, b""
        else:
            turn, legal = _TURNS[len(cells) & 1], self._legal
            if variant.gravity:
                items = self._items.names
                legal = b"".join([items[cell] for cell in history.position.legal()])
        outcome = b"null" if game.outcome is None else encode(game_view(game, playing).outcome)
        return b"".join((self._moves, self._marks, turn, legal[1:], b'],"outcome":', outcome, b"}"))

    def _begin(self, game: RoomGame) -> None:
        """Write the lists of a game as they were before its last move."""
        variant, cells = game.history.variant, game.history.moves[:-1]
        if self._variant is not variant:
            self._variant, self._items = variant, _items_of(variant)
        self._number, self._cells = game.number, cells
        self._moves = b'{"number":%d,"variant":"%b","moves":[' % (game.number, variant.key.encode())
        self._marks = b'],"marks":{'
        self._legal = b"".join(self._items.names)
        for ply, cell in enumerate(cells):
            self._carry_on(cell, ply)

    def _carry_on(self, cell: int, ply: int) -> None:
        """Extend the lists by the move at a ply."""
        name, mark = self._items.names[cell], self._items.marks[ply & 1][cell]
        self._moves += name if ply else name[1:]
        self._marks += mark if ply else mark[1:]
        self._legal = self._legal.replace(name, b"")
