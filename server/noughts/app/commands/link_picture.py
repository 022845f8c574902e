"""A link as a QR code of characters, for the camera of a telephone in front of a terminal."""

from __future__ import annotations

import io

import segno


def link_picture(link: str) -> str:
    """Return the lines of a QR code. A terminal with light text on a dark ground shows it as a camera expects it."""
    lines = io.StringIO()
    segno.make(link, micro=False, error="l").terminal(lines, compact=True, border=2)
    return lines.getvalue()
