"""Solve the early positions of four in a row: ``python -m tools.values_four_in_a_row 12``.

It finds a win, a draw or a loss for every undecided position with this many marks. In a quiet position neither side can
complete a line with its next mark: 67,557 with 8 marks, 515,159 with 10 and 3,168,180 with 12. In a forced position the side
to move must fill one cell, and can. The quiet positions come first. The search is a C program,
``tools/four_in_a_row/values.c``.

With ``--scores`` it finds the scores of those with an even number of marks up to twelve: who wins, and with which mark. The
program is ``tools/four_in_a_row/scores.c`` then. It needs the table of values, ``engine/books/four-in-a-row-values.book``.

The values are kept in ``build/`` as they are found. Stop the program with Ctrl-C at any moment: it goes on where it was.
At the end it prints how many positions are won, drawn and lost for the side to move.

Measured: all 627,283 undecided positions with 10 marks in 18 minutes of one core, and all 4,116,273 with 12 in 22, with a
table of 4 GiB and an earlier form of this program.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

from noughts.engine.four_in_a_row import early
from tools.c_programs import compiled

SOURCES: Final = Path(__file__).with_name("four_in_a_row")
BUILD: Final = Path(__file__).resolve().parent.parent / "build"


def state_of(marks: int, kind: str = "values") -> Path:
    """Return the path of the values with this many marks, or of their scores."""
    return BUILD / f"four-in-a-row-{marks}.{kind}"


def summary(letters: bytes, kind: str) -> str:
    """Return how many positions are won, drawn and lost for the side to move, and how many are not solved."""
    counts = Counter(letters)
    draw = ord("d" if kind == "values" else "@")
    unknown = counts.pop(0, 0)
    won = counts[ord("w")] if kind == "values" else sum(counts[letter] for letter in counts if letter > draw)
    lost = len(letters) - unknown - won - counts[draw]
    return f"{won} won, {counts[draw]} drawn, {lost} lost, {unknown} not solved yet"


def main() -> int:
    """Run the program; return its exit status, or that of an interrupted one."""
    parser = argparse.ArgumentParser(description="Solve the early positions of four in a row.")
    parser.add_argument("marks", type=int, help="the number of marks, at most 14")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="how many search at once")
    parser.add_argument("--mib", type=int, default=2048, help="memory for the table that they share")
    parser.add_argument("--scores", action="store_true", help="find the scores, by the table of values")
    parser.add_argument("--print", action="store_true", help="print the keys and the values so far, and solve nothing")
    options = parser.parse_args()
    BUILD.mkdir(exist_ok=True)
    kind = "scores" if options.scores else "values"
    state = state_of(options.marks, kind)
    run = [str(options.marks), str(state)]
    if not options.print:
        run += [str(early.file())] if options.scores else []
        run += [str(options.threads), str(options.mib)]
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(SOURCES / f"{kind}.c", Path(folder))
        try:
            status = subprocess.run([program, *run], check=False).returncode
        except KeyboardInterrupt:
            status = 130
    if not options.print and state.exists():
        sys.stdout.write(f"\n{summary(state.read_bytes(), kind)}: {state}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
