"""Joined modules: the modules that a page begins with, sent as one script.

Over HTTP/1.1 a browser has six connections to a server, and each carries one request at a time. So 40 modules cost seven
round trips before the first move. ``joined.json`` names each script by its first module, and lists its modules in the order
in which they run. The script holds their texts without the imports among them. The other imports come first:

    import { h } from "../browser/dom.js";
    const text = …;
    export const first = …;

All modules of a script share one scope, so no two of them declare the same name. What they export, the script exports. It
takes the place of its first module. Each module that comes later is sent with imports from the scripts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from posixpath import dirname, join, normpath
from typing import Final, NamedTuple

_TYPE: Final = re.compile(r"/\*\* @(?:type|param|returns) [^\n]*?\*/ ?")
"""A type for the type checker, in a comment beside code."""

_LAST: Final = re.compile(r"""(?<=[;,{}(\[]) (?://[^"'`]*|/\*[^*"'`]*\*/)$""")
"""A comment without quotes that ends a line of code."""


class _Import(NamedTuple):
    """An import of names from another module. ``module`` is its path in the folder of all modules."""

    module: str
    names: tuple[str, ...]


def joined(modules: Sequence[str], sources: Mapping[str, str], scripts: Mapping[str, str]) -> str:
    """Return modules as one script, in this order. Each lies in a folder, and so does the script.

    ``scripts`` names the script of each other joined module: its names are imported from there.

    Raise KeyError for an unknown module, and ValueError for a form of import that is not ``import { names } from "path";``.
    """
    others: dict[str, dict[str, None]] = {}
    bodies: list[str] = []
    for name in modules:
        imports, body = _split(name, sources[name])
        bodies.append(body)
        for module, names in imports:
            if module not in modules:
                others.setdefault(scripts.get(module, module), {}).update(dict.fromkeys(names))
    lines = [f'import {{ {", ".join(names)} }} from "../{module}";\n' for module, names in others.items()]
    return "".join(lines + bodies)


def scripts_by_module(scripts: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the script that holds each joined module: the first one that names it."""
    return {name: first for first, names in reversed(list(scripts.items())) for name in names}


def without_comments(source: str) -> str:
    """Return a script or a style sheet without indentation, types, and comments that have lines of their own or end a line.

    A comment between code stays, and so does one with quotes at the end of a line. No text over several lines may hold what
    looks like such a comment, or begin a line with spaces that matter.
    """
    lines: list[str] = []
    inside = False
    for line in source.splitlines():
        text = line.strip()
        end = text.find("*/")
        if inside or (text.startswith("/*") and end in (-1, len(text) - 2)):
            inside = end < 0
        elif text and not text.startswith("//"):
            lines.append(_LAST.sub("", _TYPE.sub("", text)) if "/" in text else text)
    return "\n".join([*lines, ""])


def _split(name: str, source: str) -> tuple[list[_Import], str]:
    """Return the imports at the top of a module, and the rest of its text."""
    imports: list[_Import] = []
    while source.startswith("import "):
        statement, _, source = source.partition(";\n")
        names, separator, path = statement.removeprefix("import {").partition('} from "')
        if not separator or " as " in names:
            raise ValueError(f"{name} cannot be joined, because of this statement: {statement}")
        module = normpath(join(dirname(name), path.removesuffix('"')))
        imports.append(_Import(module, tuple([word.strip() for word in names.split(",") if word.strip()])))
    return imports, source
