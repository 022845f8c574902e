"""A program that reads an SVG from its input and writes it as a PNG to its output.

Its text has the one font that is part of this package, so a picture looks the same on every machine.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import resvg_py

FONT_FILE: Final = Path(__file__).parent / "font" / "NotoSans-Bold.ttf"


def png(svg: str) -> bytes:
    """Return an SVG as a PNG of its own size."""
    return resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=[str(FONT_FILE)])


def main() -> None:
    """Rasterise the SVG of the standard input."""
    if hasattr(os, "nice"):
        os.nice(10)
    sys.stdout.buffer.write(png(sys.stdin.buffer.read().decode()))


if __name__ == "__main__":
    main()
