"""Make the book of Qubic: X's moves against every reply of O, until X wins by fours.

The search is a C program, ``tools/qubic/strategy.c``. This module compiles it, runs it, and writes the book from the
entries that it prints. Equal sources give an equal book: the search has no clock and no randomness.

Measured on one core: 150 s of processor time, 400 MiB, 17,697 bytes.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from noughts.engine import book
from noughts.engine.threats.qubic_book import CELLS, QubicBook
from tools.book_file import pack

SOURCE: Final = Path(__file__).with_name("qubic") / "strategy.c"


def compiled(source: Path, folder: Path) -> Path:
    """Compile a program of one source into ``folder``; return its path. Exit with a hint if there is no C compiler."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"{source.name} needs a C compiler: install gcc (Debian: sudo apt install gcc), or set CC.")
    program = folder / source.stem
    options = ["-O3", "-march=native", "-std=c11", "-pthread", "-Wno-psabi"]
    subprocess.run([compiler, *options, "-o", str(program), str(source)], check=True)
    return program


def entries_of(output: Iterable[str]) -> dict[int, int]:
    """Return the book's entries from the lines that the program prints: ``PARENT REPLY MOVE``."""
    entries = {}
    for line in output:
        parent, reply, move = map(int, line.split())
        entries[(parent + 1) * CELLS + reply] = move
    if list(entries) != sorted(entries):
        raise ValueError("the entries are not in the order of their keys")
    QubicBook(entries)  # this raises ValueError for an impossible entry
    return entries


def main() -> None:
    """Write the book and print its cost."""
    with tempfile.TemporaryDirectory() as folder:
        search = subprocess.run([compiled(SOURCE, Path(folder))], check=True, stdout=subprocess.PIPE, text=True)
    data = pack("qubic", entries_of(search.stdout.splitlines()))
    book.file_of("qubic").write_bytes(data)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.write(
        f"qubic: {len(data)} bytes, {usage.ru_utime:.0f} s of one core, {usage.ru_maxrss // 1024} MiB, "
        f"SHA-256 {book.unpack(data).digest}\n"
    )


if __name__ == "__main__":
    main()
