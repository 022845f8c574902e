"""A damaged book of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from noughts.engine import book


def damage_books(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine read books with one wrong byte, which this writes to ``folder``."""
    files = {}
    for variant in ("5x5", "four-in-a-row-values", "four-in-a-row-scores", "qubic"):
        data = bytearray(book.file_of(variant).read_bytes())
        data[len(data) // 2] ^= 1
        files[variant] = folder / f"{variant}.book"
        files[variant].write_bytes(data)
    monkeypatch.setattr(book, "file_of", files.__getitem__)
