"""Make the positions that test wins by continuous fours, and the defences to them, for gomoku and Qubic.

    python -m tools.fours_corpus --each 12 --seed 1 > tests/engine/threats/fours.txt

X and O in turn fill random cells, and no move completes a line. The engine's search selects useful positions. The slow
referee of ``gomoku_referee.py`` decides: it proves that a win by ``k`` fours exists and none by fewer, or tries all cells
of the board to find the moves that stop such a win.
"""

from __future__ import annotations

import argparse
import random
import sys

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import FourSearch, board_of, completions, defend, open_lines
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant
from tools.gomoku_referee import Referee

HEAD = """\
# Wins by continuous fours: "win", variant, moves that lead there, plies to the end of the shortest such win.
# Defences to one: "hold", variant, moves that lead there, every cell that leaves the opponent without such a win.
# Made by: python -m tools.fours_corpus {}"""


def scatter(variant: Variant, rng: random.Random) -> list[int]:
    """Return moves in turn to random cells in one part of the board.

    None of them completes a line, and only the last may be a four.
    """
    board = board_of(variant)
    marks = [0, 0]
    moves: list[int] = []
    plane = variant.layers == 1
    length = rng.randrange(14, 90) if plane else rng.randrange(10, 34)
    reach = rng.choice((4, 5, 6, 7))
    for _ in range(length * 3):
        if len(moves) >= length:
            break
        cell = (
            rng.randrange(7 - reach, 8 + reach) * 15 + rng.randrange(7 - reach, 8 + reach)
            if plane
            else rng.randrange(64)
        )
        side = len(moves) & 1
        if (marks[0] | marks[1]) >> cell & 1:
            continue
        four = completions(board, 1 << cell, marks[side] | 1 << cell, marks[1 - side])
        if four and (four & (four - 1) or len(moves) + 1 < length):
            continue
        marks[side] |= 1 << cell
        moves.append(cell)
    return moves


def sides(moves: list[int]) -> tuple[list[int], list[int]]:
    """Return the cells of the side to move and of the opponent."""
    turn = len(moves) & 1
    return moves[turn::2], moves[1 - turn :: 2]


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the positions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args()
    rng = random.Random(parsed.seed)
    show(HEAD.format(" ".join(sys.argv[1:])))
    for key in ("gomoku", "qubic"):
        variant = VARIANTS[key]
        board = board_of(variant)
        names = cell_names(variant.shape)
        shape = (variant.columns, variant.rows, variant.layers)
        wins_left = dict.fromkeys((3, 5, 7, 9, 11), parsed.each)
        holds_left = 2 * parsed.each
        while holds_left or any(wins_left.values()):
            moves = scatter(variant, rng)
            own, other = (sum(1 << cell for cell in cells) for cells in sides(moves))
            mine, theirs = open_lines(board, own, other), open_lines(board, other, own)
            search = FourSearch(board, Budget(1e9, lambda: 0.0))
            win = search.solve(own, other, mine.pairs, theirs.fours)
            played = " ".join(names[cell] for cell in moves)
            if win is not None:
                plies = 2 * len(win) + 1
                if not wins_left.get(plies):
                    continue
                referee = Referee(*sides(moves), shape, variant.line)
                if referee.by_fours(len(win)) is None or referee.by_fours(len(win) - 1) is not None:
                    raise SystemExit(f"not {plies} plies: {key} {played}")
                wins_left[plies] -= 1
                show(f"win ; {key} ; {played} ; {plies}")
            elif holds_left:
                defence = defend(search, own, other)
                if not defence.threat or theirs.fours or not 0 < defence.holding.bit_count() < 4:
                    continue
                mover, rival = sides(moves)
                referee = Referee(rival, mover, shape, variant.line)
                holding = [cell for cell, mark in enumerate(referee.marks) if mark is None and referee.holds(cell)]
                if sum(1 << cell for cell in holding) != defence.holding:
                    raise SystemExit(f"not {holding}: {key} {played}")
                holds_left -= 1
                show(f"hold ; {key} ; {played} ; {' '.join(names[cell] for cell in holding)}")


if __name__ == "__main__":
    main()
