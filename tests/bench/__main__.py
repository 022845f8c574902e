"""``make bench``: every figure, measured here and now. Absolute times are this machine's; the ratios travel.

``make bench ARGS="moves rooms"`` runs some.
"""

from __future__ import annotations

import subprocess
import sys

ALL = ("page", "moves", "spectators", "searching", "rooms")


def main() -> int:
    wanted = sys.argv[1:] or ALL
    unknown = [name for name in wanted if name not in ALL]
    if unknown:
        print(f"There is no bench {', '.join(unknown)}: choose from {', '.join(ALL)}.")
        return 2
    # Each in a process of its own: none measures what another left behind.
    return max(subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], check=False).returncode for name in wanted)


if __name__ == "__main__":
    sys.exit(main())
