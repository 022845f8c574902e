"""Measure the levels: each level of each variant against a random and a simple player, the level below and the top one.

    python -m tools.strength                       all variants; writes server/noughts/engine/books/strength.json
    python -m tools.strength classic misere        these variants; the others keep their figures
    python -m tools.strength --games 20 --dry      few games, writes nothing
    python -m tools.strength --others 40 gomoku    fewer games against random, simple and the top level

Half of the games are played with X, half with O. The random player fills any legal cell. The simple player completes its
line, else blocks the opponent's, else plays at random (in misère it avoids its line). The top level has ``--seconds`` of
processor time a move. Seeds are fixed, so kernels that do not depend on the clock give the same figures again.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from noughts.engine.budget import Budget
from noughts.engine.engine import analyse, choose
from noughts.engine.levels import digest, level_names
from noughts.engine.one_ply import one_ply_move
from noughts.rules.game import Game, new_game, start
from noughts.rules.variant import VARIANTS, Variant, variant_named

FILE = Path(__file__).resolve().parent.parent / "server" / "noughts" / "engine" / "books" / "strength.json"
Player = Callable[[Game, random.Random], int]


def at_level(level: str, seconds: float) -> Player:
    """Return a player of this level with ``seconds`` of processor time a move."""

    def play(game: Game, rng: random.Random) -> int:
        return choose(game, level, Budget(time.process_time() + seconds, time.process_time), rng).cell

    return play


def play_random(game: Game, rng: random.Random) -> int:
    """Return any legal cell."""
    return rng.choice(game.legal())


def play_one_ply(game: Game, rng: random.Random) -> int:
    """Return the move of the simple player."""
    return one_ply_move(game.position, rng)


def match(variant: Variant, player: Player, opponent: Player, games: int, seed: str) -> list[int]:
    """Return the wins, draws and losses of ``player``, which has X in every other game."""
    rng = random.Random(seed)
    counts = [0, 0, 0]
    for number in range(games):
        players = (player, opponent) if number % 2 == 0 else (opponent, player)
        game = new_game(variant)
        while game.outcome is None:
            game = game.play(players[game.ply % 2](game, rng))
        winner = game.outcome.winner
        counts[1 if winner is None else 0 if winner == "XO"[number % 2] else 2] += 1
    return counts


def write(table: dict[str, dict[str, dict[str, list[int]]]]) -> None:
    """Write the figures and their digest."""
    FILE.write_text(json.dumps({"digest": digest(table), "levels": table}, indent=1) + "\n")


def main() -> None:
    """Play the matches, print the results and write them to the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", metavar="variant")
    parser.add_argument(
        "--games", type=int, default=100, help="games of a match (half of them on boards of more than 30 cells)"
    )
    parser.add_argument("--others", type=int, help="games of a match against another opponent than the level below")
    parser.add_argument("--seconds", type=float, default=0.05, help="processor time of the top level for a move")
    parser.add_argument("--levels", nargs="*", help="only these levels; the others keep their figures")
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    for key in options.variants:
        variant_named(key)
    for key in options.variants or VARIANTS:
        variant = VARIANTS[key]
        top = level_names(variant)[-1]
        games = max(2, options.games // 2 if variant.cells > 30 else options.games)
        others = options.others or games
        rows = {}
        analyse(start(variant), Budget(time.process_time() + 5.0, time.process_time))
        names = level_names(variant)
        for number, level in enumerate(names):
            if options.levels and level not in options.levels:
                continue
            began = time.process_time()
            player = at_level(level, options.seconds)
            rows[level] = {
                "random": match(variant, player, play_random, others, f"{key} {level} random"),
                "simple": match(variant, player, play_one_ply, others, f"{key} {level} simple"),
            }
            if level != top:
                rows[level]["top"] = match(
                    variant, player, at_level(top, options.seconds), others, f"{key} {level} top"
                )
            if number:
                below = at_level(names[number - 1], options.seconds)
                rows[level]["below"] = match(variant, player, below, games, f"{key} {level} below")
            took = time.process_time() - began
            sys.stdout.write(f"{key:14} {level:10} {rows[level]}  {took:.0f} s\n")
            sys.stdout.flush()
        if not options.dry:
            table = json.loads(FILE.read_text())["levels"] if FILE.exists() else {}  # another run may have changed it
            rows = table.get(key, {}) | rows if options.levels else rows
            table[key] = {level: rows[level] for level in names if level in rows}
            write({name: table[name] for name in VARIANTS if name in table})


if __name__ == "__main__":
    main()
