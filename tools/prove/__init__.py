"""Prove again what the engine reads from tables, and the puzzles: ``python -m tools.prove``, or ``make prove``.

No server imports these programs. The books of four in a row and Qubic, and the puzzles, are proved by
searches of their own.
"""

from __future__ import annotations


class NotProvedError(Exception):
    """An entry of a book, or a step of a puzzle, could not be proved."""
