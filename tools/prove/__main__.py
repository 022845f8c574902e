"""``python -m tools.prove``: prove the value of a variant's empty board again, or the puzzles with ``--puzzles``."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from typing import Final

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.puzzles.collection import CollectionError, puzzle_of, records
from noughts.rules.variant import VARIANTS, variant_named
from tools.prove import NotProvedError
from tools.prove.empty_boards import SAMPLE, progress_unit, provable, prove
from tools.prove.puzzles import prove_puzzle

PUZZLE_S: Final = 3.0
"""The seconds after which a puzzle counts as not proved yet. Long lines in large games take minutes."""


def prove_puzzles(variants: Sequence[str], seconds: float) -> int:
    """Prove the puzzles of variants, and print a line for each variant. Return 1 if a puzzle is false or a file damaged."""
    is_false = False
    for key in variants:
        proved, late = 0, 0
        try:
            for record in records(key).values():
                budget = Budget(time.monotonic() + seconds, time.monotonic)
                try:
                    prove_puzzle(puzzle_of(variant_named(key), record), budget)
                    proved += 1
                except OutOfTimeError:
                    late += 1
        except (CollectionError, NotProvedError) as error:
            print(f"not proved: {error}", file=sys.stderr)
            is_false = True
            continue
        more = f", {late} need more than {seconds:g} s each" if late else ""
        print(f"{key}: {proved} of {proved + late} puzzles proved{more}", flush=True)
    return int(is_false)


def main(arguments: Sequence[str]) -> int:
    """Prove what the arguments name. Return 0 if the value is proved, 1 if it is not."""
    parser = argparse.ArgumentParser(
        "python -m tools.prove", description="Prove the value of a variant again, and show the progress."
    )
    parser.add_argument(
        "variant", choices=VARIANTS, nargs="?", help="the variant; with --puzzles, all if there is none"
    )
    parser.add_argument("--puzzles", action="store_true", help="prove the puzzles again, with a search of its own")
    parser.add_argument(
        "--seconds",
        type=float,
        default=PUZZLE_S,
        help="puzzles: the longest time for each; the ones that need more are counted (%(default)s)",
    )
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        default=SAMPLE,
        help="four in a row: random positions of its table to search (%(default)s)",
    )
    parsed = parser.parse_args(arguments)
    if parsed.sample < 0:
        parser.error(f"--sample must be 0 or more, not {parsed.sample}.")
    if parsed.puzzles:
        return prove_puzzles([parsed.variant] if parsed.variant else list(VARIANTS), parsed.seconds)
    if parsed.variant not in provable():
        parser.error(f"Name a variant whose empty board is proved: {', '.join(provable())}.")
    variant = variant_named(parsed.variant)
    unit = progress_unit(variant)
    shown_s = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal shown_s
        if time.monotonic() - shown_s >= 1.0:
            shown_s = time.monotonic()
            print(f"  {done:,} of {total:,} {unit}", file=sys.stderr, flush=True)

    try:
        proof = prove(variant, time.monotonic, show, parsed.sample, random.Random())
    except NotProvedError as error:
        print(f"not proved: {error}", file=sys.stderr)
        return 1
    verdict = proof.verdict
    plies = f" in {verdict.plies} plies" if verdict.plies is not None else ""
    print(f"{proof.variant}: {verdict.value} for X{plies} ({verdict.proof})")
    print(proof.claim)
    print(f"{proof.positions:,} positions, {proof.seconds:.1f} s, table {proof.digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
