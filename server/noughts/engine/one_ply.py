"""Moves without a search: complete a line, else block one, else play near the marks. The weaker levels use them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import prod
from typing import Final

from noughts.engine.levels import level_names, level_of
from noughts.engine.verdict import UNKNOWN, Choice
from noughts.errors import Rejection
from noughts.rules.game import Game
from noughts.rules.outcome import Mark, other
from noughts.rules.position import Position
from noughts.rules.ultimate import BOARD_OF, CELLS_OF, PLACE_OF, SMALL_LINES, small_mask
from noughts.rules.variant import lines

SMALL_BOARD: Final = 9
"""On boards of more cells than this, a random move is made near a mark, so that it looks like play."""
LARGE_BOARD: Final = 100
INATTENTIVE: Final = 0.4
"""A player who overlooks at least this share of lines plays up to two steps from the marks on boards of more cells than
``LARGE_BOARD``. Otherwise near means one step in any direction."""


def choose_at_once(game: Game, level: str, rng: random.Random) -> Choice | None:
    """Return the engine's move at this level if it needs no search. Otherwise return None.

    :func:`noughts.engine.engine.choose` returns the same move with the same ``rng``. This function takes well under 5 ms in
    every variant, so a server may call it on its event loop.

    Raise ``bad_message`` for a level that the variant does not have, and ValueError if the game is over.
    """
    variant, position = game.variant, game.position
    try:
        strength = level_of(variant, level)
    except KeyError:
        message = f"Levels of {variant.name}: {', '.join(level_names(variant))}."
        raise Rejection("bad_message", message) from None
    if game.outcome is not None:
        raise ValueError("the game is over")
    if strength.searches:
        forced = forced_cells(position)
        if forced:
            return Choice(rng.choice(forced), UNKNOWN)
        if rng.random() < strength.search_share:
            return None
    return Choice(hasty_move(position, strength.own_misses, strength.line_misses, rng), UNKNOWN)


def completing_cells(position: Position, mark: Mark) -> tuple[int, ...]:
    """Return the legal cells that complete a line for ``mark`` with its next move; in ultimate, a small board's line."""
    variant = position.variant
    marks, others = (position.x, position.o) if mark == "X" else (position.o, position.x)
    if variant.nested:
        return tuple(cell for cell in position.legal() if _completes_small_board(marks, cell))
    if variant.marks_kept is not None:
        # The mark that leaves with the next move completes nothing. The opponent's next move comes after mine.
        next_move = position if mark == position.turn else position.play(position.legal()[0])
        if next_move.fading is not None:
            marks &= ~(1 << next_move.fading)
    completing = 0
    for line in lines(variant.shape, variant.line):
        rest = line & ~marks
        if not (rest & (rest - 1) or rest & others):
            completing |= rest
    return tuple(cell for cell in position.legal() if completing >> cell & 1)


def _completes_small_board(marks: int, cell: int) -> bool:
    mask = small_mask(marks, BOARD_OF[cell]) | 1 << PLACE_OF[cell]
    return any(line >> PLACE_OF[cell] & 1 and mask & line == line for line in SMALL_LINES)


def one_ply_move(position: Position, rng: random.Random) -> int:
    """Return a cell that completes a line, else one that blocks the opponent's line, else any legal cell.

    In misère, return a cell that completes neither side's line, as far as there is one: the opponent may have to
    complete its line later.
    """
    legal = position.legal()
    mine = completing_cells(position, position.turn)
    if position.variant.misere:
        theirs = completing_cells(position, other(position.turn))
        safe = [cell for cell in legal if cell not in mine]
        return rng.choice([cell for cell in safe if cell not in theirs] or safe or legal)
    return rng.choice(_winning(position, mine) or mine or completing_cells(position, other(position.turn)) or legal)


def forced_cells(position: Position) -> tuple[int, ...]:
    """Return the cells that the side to move must choose from: those where the opponent would complete a line next.

    Return nothing if it can complete a line of its own or the opponent cannot. Every other move loses in two plies, so
    these cells need no search. With two or more of them, or where a cell above the filled one completes a line, these
    moves lose in two plies as well.

    Misère, ultimate and vanishing have no such rule. There a line can be harmless, out of reach, or come after a draw by
    repetition.
    """
    variant = position.variant
    if variant.misere or variant.nested or variant.marks_kept is not None:
        return ()
    if completing_cells(position, position.turn):
        return ()
    return completing_cells(position, other(position.turn))


def hasty_move(position: Position, own_misses: float, line_misses: float, rng: random.Random) -> int:
    """Return a move such as a person makes without much thought.

    It completes a line, unless the player overlooks it (a share ``own_misses`` of such positions), else it fills a cell in
    which the opponent would complete one (overlooked with the share ``line_misses``), else it is a random move near the
    marks. In misère the shares are those of positions in which the player forgets to avoid its own line, and to keep the
    cells for itself that the opponent may have to fill later. In ultimate ``own_misses`` is about cells that win the game,
    and ``line_misses`` about the lines of small boards, of either side, and about the opponent's win of the game with its
    next move.
    """
    legal = position.legal()
    mine = completing_cells(position, position.turn)
    theirs = completing_cells(position, other(position.turn))
    attentive = rng.random() >= own_misses, rng.random() >= line_misses
    reach = 2 if line_misses >= INATTENTIVE and position.variant.cells > LARGE_BOARD else 1
    if position.variant.misere:
        cells = [cell for cell in legal if not (attentive[0] and cell in mine)] or legal
        return near_move(
            position, [cell for cell in cells if not (attentive[1] and cell in theirs)] or cells, reach, rng
        )
    winning = _winning(position, mine)
    if winning and attentive[0]:
        return rng.choice(winning)
    if position.variant.nested and attentive[1]:
        cells = holding_cells(position) or legal
        return rng.choice(_among(cells, mine) or _among(cells, theirs) or cells)
    if theirs and attentive[1]:
        return rng.choice(theirs)
    return near_move(position, legal, reach, rng)


def holding_cells(position: Position) -> tuple[int, ...]:
    """Return the legal cells of ultimate after which the opponent cannot win the game with its next move."""
    marks, boards = (position.x if position.turn == "O" else position.o), position.boards or ()
    won = sum(1 << board for board, decision in enumerate(boards) if decision == other(position.turn))
    winning = [
        cell
        for board, decision in enumerate(boards)
        if decision is None and any(line >> board & 1 and (won | 1 << board) & line == line for line in SMALL_LINES)
        for cell in CELLS_OF[board]
        if _completes_small_board(marks, cell)
    ]
    if not winning:
        return position.legal()
    after = ((cell, position.play(cell)) for cell in position.legal())
    return tuple(cell for cell, reply in after if not any(reply.allows(win) for win in winning))


def _among(cells: tuple[int, ...], preferred: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of the preferred cells that are among ``cells``."""
    return tuple(cell for cell in preferred if cell in cells)


def _winning(position: Position, completing: tuple[int, ...]) -> tuple[int, ...]:
    """Return those of the cells that complete a line which win the game; in ultimate a small board's line may not."""
    if not position.variant.nested:
        return completing
    return tuple(cell for cell in completing if position.play(cell).ended(cell) is not None)


def near_move(position: Position, cells: Sequence[int], reach: int, rng: random.Random) -> int:
    """Return any of the cells, on all but the smallest boards one at most ``reach`` steps from a mark if there is one."""
    variant = position.variant
    marks = position.x | position.o
    if variant.cells <= SMALL_BOARD or variant.nested or not marks:
        return rng.choice(cells)
    near = grown(marks, variant.shape, reach)
    return rng.choice([cell for cell in cells if near >> cell & 1] or cells)


def grown(cells: int, shape: tuple[int, ...], steps: int) -> int:
    """Return the mask of all cells at most ``steps`` steps from one of ``cells``, in any direction, ``cells`` included.

    On one axis after the other, the mask is shifted by a step both ways. Cells at the edge do not leave the board.
    """
    board = (1 << prod(shape)) - 1
    stride = 1
    for size in shape:
        first = board // ((1 << stride * size) - 1) * ((1 << stride) - 1)  # the cells with coordinate 0 on this axis
        last = first << stride * (size - 1)
        for _ in range(steps):
            cells |= (cells & ~last) << stride | (cells & ~first) >> stride
        stride *= size
    return cells
