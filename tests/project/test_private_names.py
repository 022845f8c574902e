"""Other modules are used by their public names only: any release may change what begins with an underscore."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = {"noughts": ROOT / "server", "tests": ROOT, "bench": ROOT, "tools": ROOT}
"""The packages of ours, and the directory that holds each."""
FILES = [path for name, folder in FOLDERS.items() for path in sorted((folder / name).rglob("*.py"))]
MODULES = frozenset(FILES)
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_exit"}
"""Names of ``namedtuple`` and ``os`` that begin with an underscore and are documented."""


def is_private(name: str) -> bool:
    return bool(re.match(r"_(?!_)", name)) and not name.endswith("_") and name not in DOCUMENTED


class Module(NamedTuple):
    """The private names of a module: those that it gives, its functions, its attributes, and what it names otherwise.

    An attribute is ``own`` if it is one of ``self`` or ``cls``.
    """

    given: set[str]
    functions: set[str]
    attributes: list[tuple[str, bool]]
    others: list[str]
    imported: list[Path]


@cache
def module(path: Path) -> Module:
    """Read a module. Texts count as given, because they may name slots."""
    read = Module(set(), set(), [], [], [])
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                read.given.add(name)
                read.functions.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Constant(value=str(name)):
                read.given.add(name)
            case ast.Attribute(attr=name, value=value, ctx=context):
                if isinstance(context, ast.Store):
                    read.given.add(name)
                if is_private(name):
                    read.attributes.append((name, isinstance(value, ast.Name) and value.id in ("self", "cls")))
            case ast.Import(names=aliases):
                read.others.extend(alias.name for alias in aliases)
            case ast.ImportFrom(module=source, names=aliases):
                read.others.extend([source or "", *(alias.name for alias in aliases)])
                folder = FOLDERS.get((source or "").split(".")[0])
                if folder is not None and source is not None:
                    read.imported.append(folder.joinpath(*source.split(".")).with_suffix(".py"))
            case ast.Call(func=function, args=arguments) if name_of(function) in ("getattr", "setattr"):
                read.others.extend(
                    text.value for text in arguments if isinstance(text, ast.Constant) and isinstance(text.value, str)
                )
    return read


def name_of(function: ast.expr) -> str:
    """Return the last part of a function's name, nothing if it has none."""
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def taken(path: Path) -> Iterator[str]:
    """Yield the private names that a module takes from others, libraries included. Its classes may have theirs as bases."""
    read = module(path)
    own = read.given.union(*(module(imported).given for imported in read.imported if imported in MODULES))
    yield from (name for name, is_own in read.attributes if name not in (own if is_own else read.functions))
    yield from filter(is_private, ".".join(read.others).split("."))


def test_no_private_name_of_another_module_is_used() -> None:
    lines = [f"{path.relative_to(ROOT)}: {name}" for path in FILES for name in taken(path)]
    assert lines == []
