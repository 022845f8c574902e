"""Make the books: ``python -m tools.books all``, or the key of one variant.

The module of each book says how it is made and at what cost. ``docs/explanation/books.md`` has the figures side by side.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from tools import books_5x5, books_four_in_a_row, books_qubic

MAKERS: Final[dict[str, Callable[[], None]]] = {
    "5x5": books_5x5.main,
    "four-in-a-row": books_four_in_a_row.main,
    "qubic": books_qubic.main,
}


def main(arguments: list[str]) -> int:
    """Make the books of the variants in ``arguments``; return the exit status."""
    keys = arguments or ["all"]
    unknown = [key for key in keys if key != "all" and key not in MAKERS]
    if unknown:
        sys.stderr.write(f"There is no book of {', '.join(unknown)}. Books: {', '.join(MAKERS)}, or all.\n")
        return 2
    for key, make in MAKERS.items():
        if "all" in keys or key in keys:
            make()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
