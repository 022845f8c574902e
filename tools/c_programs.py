"""Compile the C programs of ``tools/``, which search for what plain Python is too slow to find."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def compiled(source: Path, folder: Path) -> Path:
    """Compile a program of one source into ``folder``; return its path. Exit with a hint if there is no C compiler."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        sys.exit(f"{source.name} needs a C compiler: install gcc (Debian: sudo apt install gcc), or set CC.")
    program = folder / source.stem
    options = ["-O3", "-march=native", "-std=c11", "-pthread", "-Wno-psabi"]
    subprocess.run([compiler, *options, "-o", str(program), str(source)], check=True)
    return program
