"""Measure how much the analysis of four in a row proves in a time: ``python -m tools.figures_four_in_a_row``.

The positions come from random legal moves with fixed seeds. Each is analysed by a new kernel with empty tables. Times are
processor time. Every value is compared with a compiled search without a limit, which shares no entry with the first.
With ``--reviews`` it analyses whole random games instead, each within ten seconds. ``--plain`` measures plain Python.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from typing import Final

from noughts.engine.budget import Budget
from noughts.engine.compiled import loading
from noughts.engine.engine import analyse_game
from noughts.engine.four_in_a_row.board import board_of
from noughts.engine.four_in_a_row.early_proof import value_by_search
from noughts.engine.four_in_a_row.kernel import FourInARowKernel
from noughts.engine.four_in_a_row.score_search import ScoreSearch, fastest_search
from noughts.engine.kernels import kernel_for
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS

VARIANT: Final = VARIANTS["four-in-a-row"]
VALUES: Final = {"win": 1, "draw": 0, "loss": -1}
CHECK_TABLE: Final = 8_388_593
REVIEW_S: Final = 10.0


def random_game(plies: int | None, rng: random.Random) -> Game:
    """Return a game of random legal moves that goes on after so many plies, or one that is over for None."""
    while True:
        game = new_game(VARIANT)
        while game.outcome is None and game.ply != plies:
            game = game.play(rng.choice(game.legal()))
        if plies is None or game.outcome is None:
            return game


def measure_ply(plies: int, positions: int, seconds: float, check: ScoreSearch) -> str:
    """Return a line about random positions with so many marks."""
    rng = random.Random(plies)
    counts = Counter[str]()
    times = []
    for _ in range(positions):
        position = random_game(plies, rng).position
        kernel = FourInARowKernel(VARIANT)
        _ = kernel.early, kernel.entries  # a process reads its files once
        began = time.process_time()
        verdict, _, complete = kernel.analyse(position, Budget(began + seconds, time.process_time))
        times.append(time.process_time() - began)
        is_proved = verdict.value != "unknown"
        counts["known"] += is_proved
        counts["wrong"] += is_proved and VALUES[verdict.value] != value_by_search(board_of(position).canonical(), check)
        counts["best"] += complete
        counts["plies"] += is_proved and (verdict.value == "draw" or verdict.plies is not None)
    times.sort()
    shares = ", ".join(f"{name} {100 * counts[name] / positions:.0f} %" for name in ("known", "best", "plies"))
    late = times[min(positions - 1, 99 * positions // 100)]
    spent = f"median {times[positions // 2]:.2f} s, p99 {late:.2f} s"
    return f"ply {plies:2}, {seconds:g} s: {shares}; {counts['wrong']} differ; {spent}"


def review(number: int) -> tuple[int, int, float]:
    """Analyse a whole random game; return its plies, how many of them are unknown, and the seconds."""
    game = random_game(None, random.Random(number))
    kernel_for.cache_clear()
    began = time.process_time()
    plies = analyse_game(VARIANT, game.moves, Budget(began + REVIEW_S, time.process_time))
    unknown = sum(ply.verdict is not None and ply.verdict.value == "unknown" for ply in plies)
    return game.ply, unknown, time.process_time() - began


def main() -> None:
    """Print a line for each ply, or for each review."""
    parser = argparse.ArgumentParser(description="Measure the analysis of four in a row.")
    parser.add_argument("--plain", action="store_true", help="measure plain Python")
    parser.add_argument("--positions", type=int, default=100, help="random positions for each ply (%(default)s)")
    parser.add_argument("--plies", type=int, nargs="*", default=[0, 2, 4, 6, 8, 10, 12, 14])
    parser.add_argument("--seconds", type=float, nargs="*", default=[1.0, 8.0])
    parser.add_argument("--reviews", type=int, default=0, help="analyse so many whole games instead")
    options = parser.parse_args()
    check = fastest_search(CHECK_TABLE, CHECK_TABLE)
    if options.plain:
        loading.RUNTIME = "a_module_that_is_not_installed"  # type: ignore[misc]
    for number in range(options.reviews):
        plies, unknown, seconds = review(number)
        sys.stdout.write(f"game {number:2}: {plies} plies, {unknown} unknown, {seconds:.1f} s\n")
        sys.stdout.flush()
    for plies in () if options.reviews else options.plies:
        for seconds in options.seconds:
            sys.stdout.write(measure_ply(plies, options.positions, seconds, check) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
