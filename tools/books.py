"""Makes the books: ``python tools/books.py all``, or one variant's key.

Each book's own module says how it is made and what that takes; ``docs/books.md`` has the figures side by side.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import books_5x5
import books_four_in_a_row

MAKERS: Final[dict[str, Callable[[], None]]] = {"5x5": books_5x5.main, "four-in-a-row": books_four_in_a_row.main}


def main(arguments: list[str]) -> int:
    wanted = arguments or ["all"]
    unknown = [key for key in wanted if key != "all" and key not in MAKERS]
    if unknown:
        sys.stderr.write(f"There is no book of {', '.join(unknown)}. Books: {', '.join(MAKERS)}; or say all.\n")
        return 2
    for key, make in MAKERS.items():
        if "all" in wanted or key in wanted:
            make()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
