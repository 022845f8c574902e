"""Read the project's own files, for the tests of the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
BINARY = {".book", ".gif", ".gz", ".ico", ".png", ".svg", ".ttf", ".wasm", ".woff2"}
"""Suffixes of files that are not read as text."""


def text_of(path: str) -> str:
    """Return the text of a file of the project."""
    return (ROOT / path).read_text()


def tracked() -> list[str]:
    """Return the paths of the repository's text files."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]  # the checkout may belong to another account
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file() and Path(name).suffix not in BINARY]


def section(page: str, heading: str) -> str:
    """Return the text below a heading of a Markdown page, up to the next heading of its level or above."""
    level = heading.partition(" ")[0]
    _, separator, rest = page.partition(f"\n{heading}\n")
    assert separator, f"there is no heading {heading!r}"
    return re.split(rf"\n#{{2,{len(level)}}} ", rest)[0]


def rows(text: str) -> list[list[str]]:
    """Return the rows of every Markdown table as lists of cells, without the heads."""
    table_rows: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|") and not line.startswith("|--") and not following.startswith("|--"):
            table_rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return table_rows


def quoted(cell: str) -> list[str]:
    """Return what stands in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)
