"""Makes the gomoku puzzles with open threes that the tests solve: positions from hasty games, each proved twice.

    python tools/gomoku_puzzles.py --count 50 --seed 1 > tests/engine/gomoku_puzzles.txt

A game is played with almost no time to think. In each the first position is taken where the side to move has no win
by continuous fours, but the threat search, given ten times the time of a move, finds a win by threes. The
referee of ``gomoku_referee.py``, which shares no code with the engine, then tries every legal answer to every move of
that win; positions with less than ``--threes`` threes in the longest line are thrown away.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import count

from gomoku_referee import Referee, Refuted

from noughts.engine.budget import Budget
from noughts.engine.threats.fours import FourSearch, board_of, lacks
from noughts.engine.threats.gomoku import GomokuKernel
from noughts.engine.threats.threes import ThreeSearch
from noughts.rules.game import Game, new_game
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS

GOMOKU = VARIANTS["gomoku"]
NAMES = cell_names(GOMOKU.shape)
HEAD = """\
# Gomoku: the side to move has no win by continuous fours, but one by threes. A line holds the moves of the game, a
# winning first move, and the threes in the longest line of the win. Each win was proved by trying every legal answer.
# Made by: python tools/gomoku_puzzles.py {} (with another version of the engine the games go another way)"""


def mask(cells: frozenset[int]) -> int:
    return sum(1 << cell for cell in cells)


def cells(marks: int) -> frozenset[int]:
    return frozenset(cell for cell in range(GOMOKU.cells) if marks >> cell & 1)


def hasty_game(rng: random.Random) -> list[Game]:
    """A game of two sides that hardly think."""
    kernel = GomokuKernel(GOMOKU)
    game = new_game(GOMOKU)
    games = []
    while game.outcome is None and game.ply < 70:
        if game.ply < 6:
            cell = rng.choice([c for c in game.legal() if abs(c % 15 - 7) < 3 and abs(c // 15 - 7) < 3])
        else:
            looks = Budget(rng.choice((3, 6, 12)), count().__next__)
            cell = kernel.choose(game.position, looks, rng).cell
        game = game.play(cell)
        games.append(game)
    return games


def puzzle(game: Game, seconds: float) -> tuple[list[int], int, float, int] | None:
    """The winning moves by threes, the referee's count of threes, and the time and positions that the search took."""
    position = game.position
    own, other = (position.o, position.x) if position.ply & 1 else (position.x, position.o)
    board = board_of(GOMOKU)
    mine, theirs = lacks(board, own, other), lacks(board, other, own)
    if mine.fours or theirs.fours:
        return None
    begin = time.process_time()
    budget = Budget(begin + seconds, time.process_time)
    fours = FourSearch(board, budget)
    if fours.solve(own, other, mine.pairs, 0) is not None:
        return None
    search = ThreeSearch(board, fours, budget)
    best = search.solve(own, other, 1_000_000)
    took = time.process_time() - begin
    if not best:
        return None
    expanded = search.expanded

    def strategy(attacker: frozenset[int], defender: frozenset[int]) -> int | None:
        found = search.solve(mask(attacker), mask(defender), 1_000_000)
        return found[0].bit_length() - 1 if found else None

    search._budget.deadline = time.process_time() + 600.0
    referee = Referee(set(cells(own)), set(cells(other)))
    try:
        threes = referee.check(strategy)
    except Refuted as wrong:
        raise SystemExit(f"the engine's win is none: {[NAMES[c] for c in game.moves]}: {wrong}") from None
    return [bit.bit_length() - 1 for bit in best], threes, took, expanded


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--threes", type=int, default=3)
    options.add_argument("--seconds", type=float, default=10.0)
    asked = options.parse_args()
    rng = random.Random(asked.seed)
    say(HEAD.format(" ".join(sys.argv[1:])))
    found = 0
    while found < asked.count:
        for game in hasty_game(rng):
            if game.outcome is not None or game.ply < 8:
                continue
            made = puzzle(game, asked.seconds)
            if made is None:
                continue
            best, threes, took, expanded = made
            if threes >= asked.threes:
                found += 1
                say(f"{' '.join(NAMES[cell] for cell in game.moves)} ; {NAMES[best[0]]} ; {threes}")
            sys.stderr.write(f"{found}: ply {game.ply}, {threes} threes, {took:.2f} s, {expanded} positions\n")
            break


if __name__ == "__main__":
    main()
