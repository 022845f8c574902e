"""``make bench``: measure a part here and now. Absolute figures are this machine's; the ratios travel.

    python -m bench                      this server, on a file and over Redis, beside a bare one
    python -m bench pair PATH            this checkout beside another one
    python -m bench calls                the Python calls of a move, by folder and file
    python -m bench page                 the weight and the start of the page, on a slow line
    python -m bench backups              moves while backups are made, and without them
    python -m bench PART --help          the options of a part

Each part takes a few minutes on an idle machine with two cores.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

PARTS: Final = ("side_by_side", "pair", "calls", "page", "backups")


def main() -> None:
    """Run one part."""
    part, *arguments = sys.argv[1:] or [PARTS[0]]
    if part not in PARTS:
        sys.exit((__doc__ or "").strip())
    import_module(f"bench.{part}").main(arguments)


if __name__ == "__main__":
    main()
