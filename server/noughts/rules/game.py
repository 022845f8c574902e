"""Games: the moves so far, the position after them, and the outcome, which may depend on history (repetition)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from noughts.errors import Rejection
from noughts.rules.geometry import chosen
from noughts.rules.outcome import MARKS, Mark, Outcome
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.svg import board_svg
from noughts.rules.ultimate import UltimatePosition
from noughts.rules.variant import Variant, variant_named


def start(variant: Variant) -> Position:
    """Return the empty board."""
    return UltimatePosition(variant) if variant.nested else FamilyPosition(variant)


class Game:
    """One play-through: moves (cell indices), the position after them and the outcome, None while play continues.

    Immutable. :meth:`of` makes one, and :meth:`play` makes the game after one more move.

    >>> game = Game.of("classic", "b2 a1")
    >>> game.turn, game.ply, game.legal_names()
    ('X', 2, ('b1', 'c1', 'a2', 'c2', 'a3', 'b3', 'c3'))
    >>> game.play("a3").play("b3").play("c1").outcome
    Outcome(winner='X', reason='line', cells=(2, 4, 6))

    ``variant`` has the rules, ``moves`` the indexes of the cells in their order and ``move_names`` their names. ``ply`` is
    the number of moves, ``position`` the marks now. ``outcome`` is None until the end, then it has ``winner``, ``reason``
    and ``cells``. ``turn`` is the mark to move, also after the end. ``seen`` holds the key of every position of the game
    where a repetition can end it, else nothing. Two games are equal when their variants and moves are, because all else
    follows; so a stored game is its variant and moves. A game is not a struct, because msgspec would store a struct's
    fields instead.
    """

    __slots__ = ("moves", "outcome", "ply", "position", "seen", "turn", "variant")

    def __init__(
        self,
        moves: tuple[int, ...],
        position: Position,
        outcome: Outcome | None = None,
        seen: tuple[Hashable, ...] = (),
    ) -> None:
        self.moves: Final = moves
        self.position: Final = position
        self.outcome: Final = outcome
        self.seen: Final = seen
        self.variant: Final[Variant] = position.variant
        self.ply: Final = len(moves)
        self.turn: Final[Mark] = MARKS[len(moves) & 1]

    @staticmethod
    def of(variant: Variant | str, moves: str | Iterable[str] = ()) -> Game:
        """Return the game of ``variant``, or of the variant with this key, after ``moves``.

        ``moves`` are names of cells: a list of them, or one text with spaces or commas between them. Raise
        :class:`~noughts.errors.Rejection`: ``bad_message`` for an unknown variant, for text that names no cell and for
        more moves than a game can have; ``illegal_move``, with its ``ply``, for the first illegal move.

        >>> Game.of("vanishing", "a1,b2,c3").ply
        3
        >>> Game.of("classic", "b2 b2")
        Traceback (most recent call last):
            ...
        noughts.errors.Rejection: illegal_move: b2 is taken.
        """
        names = moves.replace(",", " ").split() if isinstance(moves, str) else moves
        return replay_names(variant_named(variant) if isinstance(variant, str) else variant, names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.moves == other.moves and self.variant == other.variant

    def __hash__(self) -> int:
        return hash((self.variant, self.moves))

    def __repr__(self) -> str:
        return f"Game({self.variant.key}: {' '.join(self.move_names)})"

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return board_svg(self.position, self.moves[-1] if self.moves else None, self.outcome)

    def board(self) -> str:
        """Return the board as text, layer by layer. A dot is a free cell.

        >>> print(Game.of("classic", "b2 a1").board())
          a b c
        1 O . .
        2 . X .
        3 . . .
        """
        variant = self.variant
        width = len(str(variant.rows))
        letters = " ".join("abcdefghijklmno"[: variant.columns])
        lines = []
        for layer in range(variant.layers):
            lines.append(f"{'':{width}} {letters}")
            for row in range(variant.rows):
                first = (layer * variant.rows + row) * variant.columns
                marks = " ".join([self._mark(cell) for cell in range(first, first + variant.columns)])
                lines.append(f"{row + 1:>{width}} {marks}")
        return "\n".join(lines)

    def _mark(self, cell: int) -> str:
        return "X" if self.position.x >> cell & 1 else "O" if self.position.o >> cell & 1 else "."

    def _repr_html_(self) -> str:
        """Return the picture for a notebook that shows HTML."""
        return self._repr_svg_()

    @property
    def move_names(self) -> tuple[str, ...]:
        """The names of the cells of the moves."""
        return tuple(map(self.variant.names.__getitem__, self.moves))

    def legal(self) -> tuple[int, ...]:
        """Return the cells that may be filled now; none after the end."""
        return () if self.outcome else self.position.legal()

    def legal_names(self) -> tuple[str, ...]:
        """Return the names of :meth:`legal`."""
        return () if self.outcome else chosen(self.variant.names, self.position.playable)

    def play(self, cell: int | str) -> Game:
        """Return the game after one more move; ``cell`` is an index of this board, or a name.

        Raise ``illegal_move`` when the cell is not legal or the game is over, ``bad_message`` for text that is no
        cell's name in any variant, and IndexError for an index that this board lacks.
        """
        before = self.position
        if not isinstance(cell, int):
            cell = self.variant.index_of[cell]
        elif not 0 <= cell < self.variant.cells:
            raise IndexError(f"{self.variant.name} has the cells 0 to {self.variant.cells - 1}")
        if self.outcome is not None or not before.allows(cell):
            raise _illegal(before, self.outcome, cell)
        position = before.play(cell)
        outcome = position.ended(cell)
        seen = self.seen
        if seen:
            key = position.key
            seen = (*seen, key)
            if outcome is None and seen.count(key) == 3:
                outcome = Outcome(None, "repetition")
            elif outcome is None and position.ply == self.variant.ply_limit:
                outcome = Outcome(None, "ply_limit")
        return Game(self.moves + (cell,), position, outcome, seen)


def new_game(variant: Variant) -> Game:
    """Return the game before its first move."""
    position = start(variant)
    return Game((), position, None, (position.key,) if variant.marks_kept is not None else ())


def replay(variant: Variant, cells: Iterable[int]) -> Game:
    """Return the game that these moves make. Raise ``illegal_move`` with the ply of the first illegal one."""
    game = new_game(variant)
    if game.seen:
        for cell in cells:
            game = game.play(cell)
        return game
    # Without history, the positions alone tell the end: no game is made for each move, and no tuple of moves.
    moves = tuple(cells)
    position, outcome = game.position, game.outcome
    for cell in moves:
        if outcome is not None or not position.allows(cell):
            raise _illegal(position, outcome, cell)
        position = position.play(cell)
        outcome = position.ended(cell)
    return Game(moves, position, outcome)


def replay_names(variant: Variant, names: Iterable[str]) -> Game:
    """Return the game that the moves to these cells make.

    Raise ``bad_message`` for text that is no cell's name in any variant, and for a list longer than a game of the
    variant can be. Raise ``illegal_move`` with the ply of the first illegal move otherwise.
    """
    names = list(names)
    if len(names) > variant.ply_limit:
        raise Rejection("bad_message", f"A game of {variant.name} lasts at most {variant.ply_limit} moves.")
    cells = []
    for ply, name in enumerate(names):
        try:
            cells.append(variant.index_of[name])
        except Rejection as error:
            if error.code == "bad_message":
                raise
            replay(variant, cells)  # an earlier illegal move comes first
            raise Rejection("illegal_move", error.message, ply=ply) from None
    return replay(variant, cells)


def _illegal(position: Position, outcome: Outcome | None, cell: int) -> Rejection:
    """Return the rejection of a move that is not legal, or that comes after the end."""
    reason = "The game is over." if outcome is not None else why_illegal(position, cell, position.variant.names[cell])
    return Rejection("illegal_move", reason, ply=position.ply)


def why_illegal(position: Position, cell: int, name: str) -> str:
    """Return a sentence for the player who played a cell that is not legal."""
    if (position.x | position.o) >> cell & 1:
        return f"{name} is taken."
    if position.variant.gravity:
        return f"{name} has a free cell below it: a mark falls to the lowest one."
    if position.forced is not None:
        return f"{name} is not in the board that you were sent to."
    return f"{name} is in a board that is decided."
