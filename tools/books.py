"""Make the books: ``python -m tools.books all``, or the name of one book.

The module of each book says how it is made and at what cost. ``all`` leaves out the tables of four in a row's early
positions, whose values and scores take hours. ``docs/explanation/books.md`` has the figures side by side.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from noughts.engine.four_in_a_row.early import EarlyScores, EarlyValues
from tools import books_5x5, books_early, books_four_in_a_row, books_qubic

MAKERS: Final[dict[str, Callable[[], None]]] = {
    "5x5": books_5x5.main,
    "four-in-a-row": books_four_in_a_row.main,
    "qubic": books_qubic.main,
    EarlyValues.name: books_early.make_values,
    EarlyScores.name: books_early.make_scores,
}
SLOW: Final = (EarlyValues.name, EarlyScores.name)


def main(arguments: list[str]) -> int:
    """Make the books in ``arguments``; return the exit status."""
    keys = arguments or ["all"]
    unknown = [key for key in keys if key != "all" and key not in MAKERS]
    if unknown:
        sys.stderr.write(f"There is no book of {', '.join(unknown)}. Books: {', '.join(MAKERS)}, or all.\n")
        return 2
    for key, make in MAKERS.items():
        if key in keys or ("all" in keys and key not in SLOW):
            make()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
