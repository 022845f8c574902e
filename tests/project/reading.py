"""Reading the project's own files, for the tests about it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def text_of(path: str) -> str:
    """A file of the project."""
    return (ROOT / path).read_text()


def section(page: str, heading: str) -> str:
    """What stands under a heading of a Markdown page, up to the next of its level."""
    level = heading.partition(" ")[0]
    _, found, rest = page.partition(f"\n{heading}\n")
    assert found, f"there is no {heading!r}"
    return re.split(rf"\n#{{2,{len(level)}}} ", rest)[0]


def rows(text: str) -> list[list[str]]:
    """The rows of every table in Markdown, without heads and rules, cell by cell."""
    found: list[list[str]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|") and not line.startswith("|--") and not following.startswith("|--"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def words(cell: str) -> list[str]:
    """What stands in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)
