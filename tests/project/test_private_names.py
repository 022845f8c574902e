"""Other modules are used by their public names only: any release may change what begins with an underscore."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = {"noughts": ROOT / "server", "tests": ROOT, "bench": ROOT, "tools": ROOT}
"""The packages of ours, and the directory that holds each."""
FILES = [path for name, folder in FOLDERS.items() for path in sorted((folder / name).rglob("*.py"))]
MODULES = frozenset(FILES)
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_exit"}
"""Names of ``namedtuple`` and ``os`` that begin with an underscore and are documented."""


def is_private(name: str) -> bool:
    return bool(re.match(r"_(?!_)", name)) and not name.endswith("_") and name not in DOCUMENTED


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return all nodes of a module."""
    return list(ast.walk(ast.parse(path.read_text())))


@cache
def given(path: Path) -> frozenset[str]:
    """Return the names that a module gives to what it defines. Texts count, because they may name slots."""
    names: set[str] = set()
    for node in nodes(path):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(name)):
                names.add(name)
    return frozenset(filter(is_private, names))


def inherited(path: Path) -> Iterator[str]:
    """Yield the names given by the modules of ours that a module imports: its classes may be derived from theirs."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            folder = FOLDERS.get(node.module.split(".")[0])
            imported = folder and folder.joinpath(*node.module.split(".")).with_suffix(".py")
            if imported in MODULES:
                yield from given(imported)


def name_of(function: ast.expr) -> str:
    """Return the last part of a function's name, nothing if it has none."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def taken(path: Path) -> Iterator[str]:
    """Yield the private names that a module takes from others, libraries included."""
    functions = {node.name for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    own = given(path).union(inherited(path))
    for node in nodes(path):
        if isinstance(node, ast.Attribute):
            is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            names = [] if node.attr in (own if is_own else functions) else [node.attr]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imported = [f"{getattr(node, 'module', '')}.{alias.name}" for alias in node.names]
            names = [part for name in imported for part in name.split(".")]
        elif isinstance(node, ast.Call) and name_of(node.func) in ("getattr", "setattr"):
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            names = [part for text in texts if isinstance(text, str) for part in text.split(".")]
        else:
            continue
        yield from filter(is_private, names)


def test_no_private_name_of_another_module_is_used() -> None:
    lines = [f"{path.relative_to(ROOT)}: {name}" for path in FILES for name in taken(path)]
    assert lines == []
