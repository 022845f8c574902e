"""Check that the server stays a short list of parts, and that no part of the application is made from too many."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

APP: Final = Path(__file__).parents[2] / "server" / "noughts" / "app"
MAX_PARTS: Final = 8


def constructors(path: Path) -> Iterator[ast.FunctionDef]:
    """Yield the constructors in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            yield node


def test_no_part_is_made_from_more_than_eight_others() -> None:
    for path in APP.rglob("*.py"):
        for made in constructors(path):
            count = len(made.args.args) - 1 + len(made.args.kwonlyargs)
            assert count <= MAX_PARTS, f"{path}:{made.lineno} takes {count} arguments"


def test_the_server_is_a_short_list_of_parts() -> None:
    server = APP / "server.py"
    (made,) = constructors(server)
    assert made.end_lineno is not None
    assert made.end_lineno - made.lineno < 60
    assert len(server.read_text().splitlines()) <= 250
