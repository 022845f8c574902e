"""Other libraries are used by their public names only: any release may change what begins with an underscore."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {"noughts": ROOT / "server", "tests": ROOT, "bench": ROOT, "tools": ROOT}
"""The packages of ours, and the directory that holds each."""
FILES = [path for name, folder in FOLDERS.items() for path in sorted((folder / name).rglob("*.py"))]
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_exit"}
"""Names of ``namedtuple`` and ``os`` that begin with an underscore and are documented."""


def is_private(name: str) -> bool:
    return bool(re.match(r"_(?!_)", name)) and not name.endswith("_") and name not in DOCUMENTED


def imports(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """Yield each imported module, with the names that are taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module, [alias.name for alias in node.names]


@cache
def given(path: Path) -> frozenset[str]:
    """Return the private names that a file gives to what it defines."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(name)):  # a slot
                names.add(name)
    return frozenset(filter(is_private, names))


def path_of(module: str) -> Path | None:
    """Return the file of a module of ours; None for another library's."""
    folder = FOLDERS.get(module.split(".")[0])
    path = folder and folder.joinpath(*module.split(".")).with_suffix(".py")
    return path if path and path.exists() else None


def taken(code: str, own: frozenset[str] = frozenset()) -> list[str]:
    """Return the private names of other libraries that some code uses. ``own`` are those that its file gives."""
    tree, names = ast.parse(code), set(own)
    uses = []
    for module, members in imports(tree):
        path = path_of(module)
        if path is not None:
            names |= given(path)
        elif module.split(".")[0] not in FOLDERS:
            uses += [f"{module}.{part}" for part in (*module.split("."), *members) if is_private(part)]
    reads = (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load))
    return uses + sorted({name for name in reads if is_private(name) and name not in names})


@pytest.mark.parametrize(
    "path",
    FILES,
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_no_private_name_of_another_library_is_used(path: Path) -> None:
    assert taken(path.read_text(), given(path)) == []


@pytest.mark.parametrize(
    "code",
    [
        "from aiohttp._websocket.reader import WebSocketDataQueue",
        "import aiohttp._websocket",
        "from aiohttp.web_protocol import _RequestHandler",
        "request.protocol._payload_parser.feed_data(b'')",
        "class Handler(web.RequestHandler):\n def data_received(self, data):\n  if self._upgraded: pass",
    ],
)
def test_a_private_name_is_recognised(code: str) -> None:
    assert taken(code) != []
    assert taken("from noughts.app.delivery.connection import Connection\nself._drops") == []
