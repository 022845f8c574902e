"""Make the gomoku puzzles with open threes that the tests solve: positions from quick games, each proved twice.

    python -m tools.gomoku_puzzles --count 50 --seed 1 > tests/engine/threats/gomoku_puzzles.txt

The tool plays games with almost no time for a move. Of each game it takes the first position in which the side to move
has no win by continuous fours, but the threat search finds a win by threes in ten times the time of a move. The referee
of ``gomoku_referee.py``, which shares no code with the engine, then tries every legal answer to every move of that win.
Positions with fewer than ``--threes`` threes in the longest line are dropped.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import count

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import FourSearch, board_of, open_lines
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.threes import ThreeSearch
from noughts.rules.game import Game, new_game
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS
from tools.gomoku_referee import Referee, Refuted

GOMOKU = VARIANTS["gomoku"]
NAMES = cell_names(GOMOKU.shape)
HEAD = """\
# Gomoku: the side to move has no win by continuous fours, but one by threes. A line holds the moves of the game, a
# winning first move, and the threes in the longest line of the win. Each win was proved by trying every legal answer.
# Made by: python -m tools.gomoku_puzzles {} (with another version of the engine the games go another way)"""


def mask(cells: frozenset[int]) -> int:
    """Return the mask of a set of cells."""
    return sum(1 << cell for cell in cells)


def cells(marks: int) -> frozenset[int]:
    """Return the set of cells of a mask."""
    return frozenset(cell for cell in range(GOMOKU.cells) if marks >> cell & 1)


def quick_game(rng: random.Random) -> list[Game]:
    """Return the games after each move of two sides with almost no time for a move."""
    kernel = GomokuKernel(GOMOKU)
    game = new_game(GOMOKU)
    games = []
    while game.outcome is None and game.ply < 70:
        if game.ply < 6:
            cell = rng.choice([c for c in game.legal() if abs(c % 15 - 7) < 3 and abs(c // 15 - 7) < 3])
        else:
            budget = Budget(rng.choice((3, 6, 12)), count().__next__)
            cell = kernel.choose(game, budget, rng).cell
        game = game.play(cell)
        games.append(game)
    return games


def puzzle(game: Game, seconds: float) -> tuple[list[int], int, float, int] | None:
    """Return the moves that win by threes, the referee's number of threes, and the seconds and positions of the search.

    Return None if the position is no puzzle.
    """
    position = game.position
    own, other = (position.o, position.x) if position.ply & 1 else (position.x, position.o)
    board = board_of(GOMOKU)
    mine, theirs = open_lines(board, own, other), open_lines(board, other, own)
    if mine.fours or theirs.fours:
        return None
    began = time.process_time()
    budget = Budget(began + seconds, time.process_time)
    if FourSearch(board, budget).solve(own, other, mine.pairs, 0) is not None:
        return None
    search = ThreeSearch(GOMOKU, budget)
    best = search.solve(own, other, 1_000_000)
    seconds_taken = time.process_time() - began
    if not best:
        return None
    expanded = search.expanded

    def strategy(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        moves = search.solve(mask(attacker), mask(defender), 1_000_000)
        return moves[0].bit_length() - 1 if moves else None

    budget.deadline = time.process_time() + 600.0
    referee = Referee(set(cells(own)), set(cells(other)))
    try:
        threes = referee.check(strategy)
    except Refuted as refutation:
        raise SystemExit(f"the engine's win is refuted: {[NAMES[c] for c in game.moves]}: {refutation}") from None
    return [bit.bit_length() - 1 for bit in best], threes, seconds_taken, expanded


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the puzzles, and the progress to standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threes", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parsed = parser.parse_args()
    rng = random.Random(parsed.seed)
    show(HEAD.format(" ".join(sys.argv[1:])))
    number = 0
    while number < parsed.count:
        for game in quick_game(rng):
            if game.outcome is not None or game.ply < 8:
                continue
            solution = puzzle(game, parsed.seconds)
            if solution is None:
                continue
            best, threes, seconds_taken, expanded = solution
            if threes >= parsed.threes:
                number += 1
                show(f"{' '.join(NAMES[cell] for cell in game.moves)} ; {NAMES[best[0]]} ; {threes}")
            sys.stderr.write(
                f"{number}: ply {game.ply}, {threes} threes, {seconds_taken:.2f} s, {expanded} positions\n"
            )
            break


if __name__ == "__main__":
    main()
