"""The fingerprint of the searches: the results and the costs of a fixed set of positions.

    python -m tools.lab.fingerprint            print it
    python -m tools.lab.fingerprint --write    write tests/engine/fingerprint.txt, after an intended change

Each kernel starts with empty tables, analyses a position within 200 readings of its clock, and then moves within twelve. A
line has the number of readings (one in a fixed number of nodes) and, if the kernel counts them, of nodes. If a change to a
search was not meant to alter it, the fingerprint must stay the same. If it was, commit the new lines with it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from noughts.engine.budget import Budget
from noughts.engine.kernel import Kernel
from noughts.engine.kernels import new_kernel
from noughts.rules.game import replay_names
from noughts.rules.notation import cell_names
from noughts.rules.variant import VARIANTS, Variant

FILE = Path(__file__).resolve().parents[2] / "tests" / "engine" / "fingerprint.txt"
TENTH = Variant("6x5", "Six by five", "Four in a line wins.", (6, 5), 4)
PLENTY, FEW = 200, 12
POSITIONS = (
    (VARIANTS["classic"], ""),
    (VARIANTS["classic"], "a1 b2"),
    (VARIANTS["misere"], ""),
    (VARIANTS["misere"], "b2 a1"),
    (VARIANTS["vanishing"], "b1 b2 a1"),
    (VARIANTS["4x4"], ""),
    (VARIANTS["4x4"], "b2 c3 a1"),
    (TENTH, "e1 c2 f4 f5 a4 f1 b4 c1 c3 d5 a5 f2 d4 c4"),
    (VARIANTS["5x5"], "c3 b2 d4 e5"),
    (VARIANTS["5x5"], "a1 c3 d2 b4 e5 c4"),
    (VARIANTS["four-in-a-row"], "d6 d5 d4 d3 c6 e6 e5 c5 c4 b6 b5 e4 g6 f6 f5 a6"),
    (VARIANTS["four-in-a-row"], "a6 c6 g6 b6 c5 d6 c4 g5 a5 a4 d5 a3 e6 a2 c3 b5 a1 c2"),
    (VARIANTS["qubic"], "a1.1 b2.2 d1.1 c3.3 d4.4 a4.1 a1.4 b3.2"),
    (VARIANTS["gomoku"], "h8 i9 h9 h10 g8 i8 i10 g7 f8"),
    (VARIANTS["gomoku"], "h8 g8 i9 j10 h9 h10 i10 g9 i8 i11"),
    (VARIANTS["ultimate"], "e5 d4 a1 b2 f6 g7 b3 e8 d5"),
)


def fingerprint() -> Iterator[str]:
    """Yield one line for each position."""
    for variant, moves in POSITIONS:
        game = replay_names(variant, moves.split())
        names = cell_names(variant.shape)
        kernel = new_kernel(variant)
        readings = 0

        def clock() -> float:
            nonlocal readings
            readings += 1
            return 0.0

        verdict, best, _ = kernel.analyse(game.position, Budget(1.0, clock).clock_readings(PLENTY, 0.02))
        analysis_readings, nodes = readings, nodes_of(kernel)
        choice = kernel.choose(game, Budget(1.0, clock).clock_readings(FEW, 0.02), random.Random(1))
        yield (
            f"{variant.key} [{moves}] {verdict.value} {verdict.plies or ''} by {len(best)} moves, "
            f"{analysis_readings} readings{nodes}; then {names[choice.cell]}, "
            f"{readings - analysis_readings} readings{nodes_of(kernel)}"
        )


def nodes_of(kernel: Kernel) -> str:
    """Return the nodes that the kernel has counted so far as a part of a line, empty if it counts none."""
    counter = getattr(kernel, "search", kernel)
    return f", {counter.nodes} nodes" if hasattr(counter, "nodes") else ""


def main() -> None:
    """Print the fingerprint, and write it if the arguments say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write it to the file that the test compares with")
    lines = []
    options = parser.parse_args()
    for line in fingerprint():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        lines.append(line + "\n")
    if options.write:
        FILE.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
