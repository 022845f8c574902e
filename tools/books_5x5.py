"""Make the book of 5x5: the value and plies of every position with up to four marks, computed from nothing.

The 9,664 positions with four marks (up to symmetry) are searched to the end of the game, the others follow from them.
Measured in plain Python on one core: 112 s of processor time, 61 MiB, 21,407 bytes.
"""

from __future__ import annotations

import resource
import sys
import time

from noughts.engine import book
from tools.book_file import pack
from tools.prove.openings import solve_openings


def show(done: int, total: int) -> None:
    """Print the progress."""
    if done % 20 == 0 or done == total:
        sys.stdout.write(f"\r5x5: {done} of {total} positions, {time.process_time():.0f} s")
        sys.stdout.flush()


def main() -> None:
    """Write the book and print its cost."""
    data = pack("5x5", dict(solve_openings(show)))
    book.file_of("5x5").write_bytes(data)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(
        f"\n5x5: {len(data)} bytes, {time.process_time():.0f} s of one core, {memory} MiB, "
        f"SHA-256 {book.unpack(data).digest}\n"
    )


if __name__ == "__main__":
    main()
