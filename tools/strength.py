"""Measure the levels: every level of every variant against a random player, a simple one, and the top level.

    python tools/strength.py                       all variants; writes server/noughts/engine/books/strength.json
    python tools/strength.py classic misere        only these; the others keep what was measured before
    python tools/strength.py --games 20 --dry      a quick look, nothing written

Half of the games are played with X, half with O. The random player fills any legal cell. The simple one completes its
line, blocks the other's, else plays at random (in misère it shuns its line). The top level has ``--seconds`` of CPU
time a move. Seeds are fixed, so that kernels without a clock to watch give the same figures again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "server"))

from noughts.engine.budget import Budget
from noughts.engine.engine import choose, levels, warm
from noughts.engine.one_ply import at_a_glance
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS, Variant, variant_named

FILE = Path(__file__).resolve().parent.parent / "server" / "noughts" / "engine" / "books" / "strength.json"
Player = Callable[[Game, random.Random], int]


def at_level(level: str, seconds: float) -> Player:
    def play(game: Game, rng: random.Random) -> int:
        return choose(game, level, Budget(time.process_time() + seconds, time.process_time), rng).cell

    return play


def randomly(game: Game, rng: random.Random) -> int:
    return rng.choice(game.legal())


def simply(game: Game, rng: random.Random) -> int:
    return at_a_glance(game.position, rng)


def match(variant: Variant, one: Player, two: Player, games: int, seed: str) -> list[int]:
    """Wins, draws and losses of ``one``, which has X in every other game."""
    rng = random.Random(seed)
    counts = [0, 0, 0]
    for number in range(games):
        players = (one, two) if number % 2 == 0 else (two, one)
        game = new_game(variant)
        while game.outcome is None:
            game = game.play(players[game.ply % 2](game, rng))
        winner = game.outcome.winner
        counts[1 if winner is None else 0 if winner == "XO"[number % 2] else 2] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="variant")
    parser.add_argument(
        "--games", type=int, default=100, help="games of a match (half of them on boards of more than 30 cells)"
    )
    parser.add_argument("--seconds", type=float, default=0.05, help="CPU time of the top level for a move")
    parser.add_argument("--levels", nargs="*", help="only these levels")
    parser.add_argument("--dry", action="store_true", help="print only")
    asked = parser.parse_args()
    for key in asked.variants:
        variant_named(key)
    for key in asked.variants or VARIANTS:
        variant = VARIANTS[key]
        top = levels(variant)[-1]
        games = max(2, asked.games // 2 if variant.cells > 30 else asked.games)
        rows = {}
        warm(variant, Budget(time.process_time() + 5.0, time.process_time))
        for level in levels(variant):
            if asked.levels and level not in asked.levels:
                continue
            began = time.process_time()
            player = at_level(level, asked.seconds)
            rows[level] = {
                "random": match(variant, player, randomly, games, f"{key} {level} random"),
                "simple": match(variant, player, simply, games, f"{key} {level} simple"),
                "top": match(variant, player, at_level(top, asked.seconds), games, f"{key} {level} top"),
            }
            took = time.process_time() - began
            sys.stdout.write(f"{key:14} {level:10} {rows[level]}  {took:.0f} s\n")
            sys.stdout.flush()
        if not asked.dry:
            table = json.loads(FILE.read_text()) if FILE.exists() else {}  # another run may have added to it
            table[key] = rows
            FILE.write_text(json.dumps({name: table[name] for name in VARIANTS if name in table}, indent=1) + "\n")


if __name__ == "__main__":
    main()
