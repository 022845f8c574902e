"""Games and a slow solver of ultimate for tests. The solver uses the rules alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from noughts.rules.game import Game, new_game, start
from noughts.rules.ultimate import CELLS_OF, UltimatePosition
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["ultimate"]


def random_games(count: int, seed: int) -> Iterator[Game]:
    """Yield finished games of random moves."""
    rng = random.Random(seed)
    for _ in range(count):
        game = new_game(VARIANT)
        while game.outcome is None:
            game = game.play(rng.choice(game.legal()))
        yield game


def positions_of(game: Game) -> Iterator[UltimatePosition]:
    """Yield every position of a game but the last."""
    position = start(VARIANT)
    assert isinstance(position, UltimatePosition)
    for cell in game.moves:
        yield position
        position = position.play(cell)


def open_cells(position: UltimatePosition) -> int:
    """Return the number of free cells in open boards."""
    return sum(
        position.boards[board] is None and not (position.x | position.o) >> cell & 1
        for board in range(9)
        for cell in CELLS_OF[board]
    )


def endings(cells: int, count: int, seed: int) -> list[UltimatePosition]:
    """Return positions of random games with this many open cells left, one of a game."""
    positions: list[UltimatePosition] = []
    for game in random_games(10 * count, seed):
        positions += [position for position in positions_of(game) if open_cells(position) == cells][:1]
        if len(positions) == count:
            return positions
    raise AssertionError("too few endings")


def slow_moves(position: UltimatePosition) -> dict[int, tuple[int, int]]:
    """Return for each legal cell its value for the side that fills it (1, 0 or -1), and the plies to the end."""
    values = {}
    for cell in position.legal():
        after = position.play(cell)
        end = after.ended(cell)
        if end is not None:
            values[cell] = (0 if end.winner is None else 1, 1)
        else:
            value, plies = slow_value(after)
            values[cell] = (-value, plies + 1)
    return values


@cache
def slow_value(position: UltimatePosition) -> tuple[int, int]:
    """Return the value for the side to move, and the plies: the fewest to a win, the most to a loss, any to a draw."""
    moves = slow_moves(position).values()
    best = max(value for value, _ in moves)
    lengths = [plies for value, plies in moves if value == best]
    return best, min(lengths) if best > 0 else max(lengths)


def wins_at_once(position: UltimatePosition, cell: int) -> bool:
    """Return whether a move wins the game."""
    end = position.play(cell).ended(cell)
    return end is not None and end.winner is not None
