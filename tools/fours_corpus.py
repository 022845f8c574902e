"""Makes the positions that test wins by continuous fours, and the defences to them, for gomoku and Qubic.

    python tools/fours_corpus.py --each 12 --seed 1 > tests/engine/fours.txt

Marks are scattered in turn, so that nobody completes a line; the engine's search picks what looks useful, and the slow
referee of ``gomoku_referee.py`` has the last word: that a win by ``k`` fours exists and none by less, or which moves
hold against one (all cells of the board are tried).
"""

from __future__ import annotations

import argparse
import random
import sys

from gomoku_referee import Referee

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import FourSearch, board_of, completions, defend, lacks
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant

HEAD = """\
# Wins by continuous fours: "win", variant, moves that lead there, plies to the end of the shortest such win.
# Defences to one: "hold", variant, moves that lead there, every cell that leaves the opponent without such a win.
# Made by: python tools/fours_corpus.py {}"""


def scatter(variant: Variant, rng: random.Random) -> list[int]:
    """Moves in turn to random cells in one part of the board, none of which completes or nearly completes a line, save
    that the last may be a four."""
    board = board_of(variant)
    marks = [0, 0]
    moves: list[int] = []
    plane = variant.layers == 1
    wanted = rng.randrange(14, 90) if plane else rng.randrange(10, 34)
    reach = rng.choice((4, 5, 6, 7))
    for _ in range(wanted * 3):
        if len(moves) >= wanted:
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
        if four and (four & (four - 1) or len(moves) + 1 < wanted):
            continue
        marks[side] |= 1 << cell
        moves.append(cell)
    return moves


def sides(moves: list[int]) -> tuple[list[int], list[int]]:
    """The cells of the side to move and of the other."""
    turn = len(moves) & 1
    return moves[turn::2], moves[1 - turn :: 2]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--each", type=int, default=12)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    rng = random.Random(asked.seed)
    say(HEAD.format(" ".join(sys.argv[1:])))
    for key in ("gomoku", "qubic"):
        variant = VARIANTS[key]
        board = board_of(variant)
        names = cell_names(variant.shape)
        shape = (*variant.shape, 1)[:3]
        wanted = dict.fromkeys((3, 5, 7, 9, 11), asked.each)
        holds = 2 * asked.each
        while holds or any(wanted.values()):
            moves = scatter(variant, rng)
            own, other = (sum(1 << cell for cell in cells) for cells in sides(moves))
            mine, theirs = lacks(board, own, other), lacks(board, other, own)
            search = FourSearch(board, Budget(1e9, lambda: 0.0))
            win = search.solve(own, other, mine.pairs, theirs.fours)
            played = " ".join(names[cell] for cell in moves)
            if win is not None:
                plies = 2 * len(win) + 1
                if not wanted.get(plies):
                    continue
                referee = Referee(*sides(moves), shape, variant.line)
                if referee.by_fours(len(win)) is None or referee.by_fours(len(win) - 1) is not None:
                    raise SystemExit(f"not {plies} plies: {key} {played}")
                wanted[plies] -= 1
                say(f"win ; {key} ; {played} ; {plies}")
            elif holds:
                defence = defend(search, own, other)
                if not defence.threat or theirs.fours or not 0 < defence.holding.bit_count() < 4:
                    continue
                mover, rival = sides(moves)
                referee = Referee(rival, mover, shape, variant.line)
                good = [cell for cell, mark in enumerate(referee.marks) if mark is None and referee.holds(cell)]
                if sum(1 << cell for cell in good) != defence.holding:
                    raise SystemExit(f"not {good}: {key} {played}")
                holds -= 1
                say(f"hold ; {key} ; {played} ; {' '.join(names[cell] for cell in good)}")


if __name__ == "__main__":
    main()
