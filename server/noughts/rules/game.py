"""One play-through: the moves so far, where they led, and the outcome, which may depend on history (repetition)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final

from noughts.errors import Rejection
from noughts.rules.notation import cell_index, cell_names
from noughts.rules.outcome import Outcome
from noughts.rules.position import FamilyPosition, Position
from noughts.rules.ultimate import UltimatePosition
from noughts.rules.variant import Variant


def start(variant: Variant) -> Position:
    """The empty board."""
    return UltimatePosition(variant) if variant.nested else FamilyPosition(variant)


class Game:
    """Moves (cell indices), the position after them and the outcome, None while play goes on. Immutable.

    ``seen`` holds the key of every position of the game where a repetition can end it, else nothing. Two games are
    equal when their variant and moves are: all else follows, so that a record of a game is its variant and moves.
    """

    __slots__ = ("moves", "outcome", "position", "seen")

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.moves == other.moves and self.variant == other.variant

    def __hash__(self) -> int:
        return hash((self.variant.key, self.moves))

    def __repr__(self) -> str:
        names = cell_names(self.variant.shape)
        return f"Game({self.variant.key}: {' '.join(names[cell] for cell in self.moves)})"

    @property
    def variant(self) -> Variant:
        return self.position.variant

    @property
    def ply(self) -> int:
        return len(self.moves)

    def legal(self) -> tuple[int, ...]:
        """The cells that may be filled now; none after the end."""
        return () if self.outcome else self.position.legal()

    def play(self, cell: int) -> Game:
        """The game after one more move. Raises ``illegal_move`` when the cell is not legal or the game is over."""
        if self.outcome is not None:
            raise Rejection("illegal_move", "The game is over.", ply=self.ply)
        before = self.position
        if not before.allows(cell):
            name = cell_names(self.variant.shape)[cell]
            raise Rejection("illegal_move", why_illegal(before, cell, name), ply=self.ply)
        position = before.play(cell)
        outcome = position.ended(cell)
        seen = self.seen
        if self.variant.marks_kept is not None:
            key = position.key
            seen = (*seen, key)
            if outcome is None and seen.count(key) == 3:
                outcome = Outcome(None, "repetition")
            elif outcome is None and position.ply == self.variant.ply_limit:
                outcome = Outcome(None, "ply_limit")
        return Game((*self.moves, cell), position, outcome, seen)


def new_game(variant: Variant) -> Game:
    """The game before its first move."""
    position = start(variant)
    return Game((), position, None, (position.key,) if variant.marks_kept is not None else ())


def replay(variant: Variant, cells: Iterable[int]) -> Game:
    """The game that these moves make. Raises ``illegal_move`` with the ply of the first illegal one."""
    game = new_game(variant)
    for cell in cells:
        game = game.play(cell)
    return game


def replay_names(variant: Variant, names: Iterable[str]) -> Game:
    """As :func:`replay`, from names of cells. Raises ``bad_message`` for a name of no form and for a list longer than
    the variant can last; ``illegal_move`` with its ply otherwise."""
    names = list(names)
    if len(names) > variant.ply_limit:
        raise Rejection("bad_message", f"A game of {variant.name} lasts at most {variant.ply_limit} moves.")
    cells = []
    for ply, name in enumerate(names):
        try:
            cells.append(cell_index(variant, name))
        except Rejection as wrong:
            if wrong.code == "bad_message":
                raise
            replay(variant, cells)  # an earlier illegal move comes first
            raise Rejection("illegal_move", wrong.message, ply=ply) from None
    return replay(variant, cells)


def why_illegal(position: Position, cell: int, name: str) -> str:
    """A sentence for the player whose cell is not legal."""
    if (position.x | position.o) >> cell & 1:
        return f"{name} is taken."
    if position.variant.gravity:
        return f"{name} has a free cell below it: a mark falls to the lowest one."
    if position.forced is not None:
        return f"{name} is not in the board that you were sent to."
    return f"{name} is in a board that is decided."
