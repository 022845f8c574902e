"""Draw the icons of the installed page from ``client_web/icon.svg``.

    python -m tools.icons

A system may cut a maskable icon to a circle of 80 % of its width, so that one has square corners and smaller marks.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import resvg_py

PAGE: Final = Path(__file__).resolve().parent.parent / "client_web"
SIZES: Final = {"192": 192, "512": 512, "maskable": 512}


def maskable(svg: str) -> str:
    """Return the icon with square corners, and with its marks at three quarters of their size."""
    square = re.sub(r' rx="\d+"', "", svg)
    return square.replace("<g ", '<g transform="translate(25 25) scale(.75)" ')


def main() -> None:
    """Write all icons."""
    svg = (PAGE / "icon.svg").read_text()
    for name, size in SIZES.items():
        text = maskable(svg) if name == "maskable" else svg
        (PAGE / "icons" / f"{name}.png").write_bytes(resvg_py.svg_to_bytes(svg_string=text, width=size, height=size))


if __name__ == "__main__":
    main()
