"""Writes the view of a game as JSON, and reuses what was written for the position before."""

from __future__ import annotations

from noughts.protocol.codec import encode
from noughts.protocol.views import game_view
from noughts.room.room import RoomGame
from noughts.rules.variant import Variant


class GameWriter:
    """Writes the games of one room. After one more move, it extends the lists instead of writing them anew.

    In vanishing and ultimate a move changes more than its own cell, so their games are written anew each time.
    """

    __slots__ = ("_cells", "_head", "_legal", "_marks", "_moves", "_names", "_number", "_variant")

    def __init__(self) -> None:
        self._number = 0
        self._variant: Variant | None = None
        self._names: tuple[bytes, ...] = ()
        self._cells: tuple[int, ...] = ()
        """The moves in the lists."""
        self._head = b""
        self._moves = b""
        self._marks = b""
        self._legal = b""
        """The free cells, each followed by a comma."""

    def written(self, game: RoomGame, playing: bool) -> bytes:
        """Return the view of a game as JSON. With ``playing`` false, no side is to move."""
        history = game.history
        variant, cells = history.variant, history.moves
        if variant.nested or variant.marks_kept is not None:
            return encode(game_view(game, playing))
        if self._number != game.number or self._variant is not variant or cells[:-1] != self._cells:
            self._begin(game)
        if len(cells) > len(self._cells):
            self._carry_on(cells[-1], len(cells))
            self._cells = cells
        if not playing:
            turn, legal = b"null", b""
        else:
            turn = b'"O"' if len(cells) & 1 else b'"X"'
            legal = self._legal[:-1]
            if variant.gravity:
                names = self._names
                legal = b",".join([names[cell] for cell in history.position.legal()])
        return b'%b%b],"marks":{%b},"turn":%b,"legal":[%b],"outcome":%b}' % (
            self._head,
            self._moves,
            self._marks,
            turn,
            legal,
            b"null" if game.outcome is None else encode(game_view(game, playing).outcome),
        )

    def _begin(self, game: RoomGame) -> None:
        """Write the lists of a game as they were before its last move."""
        variant, cells = game.history.variant, game.history.moves[:-1]
        if self._variant is not variant:
            self._variant = variant
            self._names = tuple([b'"%b"' % name.encode() for name in variant.names])
        self._number, self._cells = game.number, cells
        self._head = b'{"number":%d,"variant":"%b","moves":[' % (game.number, variant.key.encode())
        names, taken = self._names, set(cells)
        self._moves = b",".join([names[cell] for cell in cells])
        self._marks = b",".join([names[cell] + (b':"O"' if ply & 1 else b':"X"') for ply, cell in enumerate(cells)])
        self._legal = b"".join([name + b"," for cell, name in enumerate(names) if cell not in taken])

    def _carry_on(self, cell: int, ply: int) -> None:
        """Extend the lists by the move that led to a ply."""
        name = self._names[cell]
        mark = name + (b':"X"' if ply & 1 else b':"O"')
        if ply == 1:
            self._moves, self._marks = name, mark
        else:
            self._moves = b"%b,%b" % (self._moves, name)
            self._marks = b"%b,%b" % (self._marks, mark)
        self._legal = self._legal.replace(name + b",", b"")
