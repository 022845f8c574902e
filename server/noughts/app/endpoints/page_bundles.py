"""Bundles: a module of the page together with all modules that it imports, as one script. The same for style sheets.

Over HTTP/1.1 a browser has six connections to a server, and each carries one request at a time. So 64 modules cost eleven
round trips before the first move. The sources stay modules that import each other by relative paths, and are served too.
A bundle keeps each module in a function of its own:

    const $modules = (globalThis.$modules ??= {});
    $modules["dom.js"] ??= (() => {
      const text = …;
      return { text };
    })();
    $modules["main.js"] ??= (() => {
      const { text } = $modules["dom.js"];
      …
    })();

A module that is imported later, with ``import()``, has a bundle too. It leaves out what the first bundle of each page that
imports it holds. Two such bundles may hold the same module, and ``??=`` lets only the first one run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

import rjsmin

FOLDER: Final = "bundles/"
"""Where the bundles are in the static tree, beside the folder of their sources."""
MAIN: Final = "main.js"
EMBED: Final = "embed.js"
_TABLE: Final = "const $modules = (globalThis.$modules ??= {});\n"
"""All bundles of a page put their modules into one table."""
_IMPORT: Final = re.compile(r'^import (?:\* as (\w+)|\{([^}]*)\}) from "\./([\w.]+)";$', re.M)
_IMPORT_LATER: Final = re.compile(r'\bimport\("\./([\w.]+)"\)')
"""A call of ``import()``. In comments, it names types."""
_EXPORT: Final = re.compile(r"^export ((?:async )?(?:const|function|class) (\w+))", re.M)
_EXPORT_LIST: Final = re.compile(r"^export \{([^}]*)\};$", re.M)
_OTHER: Final = re.compile(r"^(?:import|export)\b(?!\().*", re.M)
_STYLE_IMPORT: Final = re.compile(r'^@import "([\w.]+)";$', re.M)


class _Module(NamedTuple):
    """A module as the body of a function. ``imports`` and ``later`` name other modules, ``exports`` its own values."""

    body: str
    imports: tuple[str, ...]
    later: tuple[str, ...]
    exports: tuple[str, ...]


def script_bundles(sources: Mapping[str, str], catalogues: Collection[str] = ()) -> dict[str, str]:
    """Return the bundles of the page by name. ``sources`` are all modules by name, in one folder.

    ``catalogues`` names the modules with the texts of a language. ``i18n.js`` imports one later, by a name that it puts
    together. It imports nothing, so its bundle is the module itself. Raise ValueError for a module that cannot be bundled.
    """
    modules = {name: _parsed(name, source) for name, source in sources.items()}
    roots = {root: _with_imports(modules, root) for root in (MAIN, EMBED) if root in modules}
    present: dict[str, set[str]] = {}  # what each page has already that imports a module later
    for names in roots.values():
        for entry in _imported_later(modules, names):
            present[entry] = present.get(entry, set(names)) & set(names)
    bundles: dict[str, str] = {root: _TABLE + _parts(modules, names) for root, names in roots.items()}
    for entry, held in present.items():
        if entry in roots:
            continue
        exports = ", ".join(modules[entry].exports)
        parts = _parts(modules, [name for name in _with_imports(modules, entry) if name not in held])
        bundles[entry] = _TABLE + parts + f'export const {{ {exports} }} = $modules["{entry}"];\n'
    bundles |= {name: sources[name] for name in catalogues if name in sources and name not in roots.get(MAIN, ())}
    return bundles


def style_bundle(page: str, sources: Mapping[str, str]) -> str:
    """Return a style sheet with those in the place of its imports. Raise KeyError for one that is not in ``sources``."""
    return _STYLE_IMPORT.sub(lambda statement: sources[statement[1]], page)


def _parsed(name: str, source: str) -> _Module:
    imports = tuple(match[3] for match in _IMPORT.finditer(source))
    exports = [match[2] for match in _EXPORT.finditer(source)]
    for match in _EXPORT_LIST.finditer(source):
        exports += [word.strip() for word in match[1].split(",") if word.strip()]
    body = _IMPORT.sub(_declaration, source)
    body = _EXPORT.sub(r"\1", _EXPORT_LIST.sub("", body))
    rest = _OTHER.search(body)
    if rest is not None:
        raise ValueError(f"{name} cannot be bundled, because of this statement: {rest[0]}")
    later = tuple(match[1] for match in _IMPORT_LATER.finditer(rjsmin.jsmin(source)))
    return _Module(body, imports, later, tuple(exports))


def _declaration(statement: re.Match[str]) -> str:
    """Return the declaration that has the effect of an import."""
    namespace, names, module = statement.groups()
    pattern = namespace or "{" + re.sub(r"(\w+) as (\w+)", r"\1: \2", names) + "}"
    return f'const {pattern} = $modules["{module}"];'


def _parts(modules: Mapping[str, _Module], names: Collection[str]) -> str:
    """Return modules as functions that run once, in this order."""

    def lines() -> Iterator[str]:
        for name in names:
            module = modules[name]
            yield f'$modules["{name}"] ??= (() => {{\n{module.body}\nreturn {{ {", ".join(module.exports)} }};\n}})();\n'

    return "".join(lines())


def _imported_later(modules: Mapping[str, _Module], names: Collection[str]) -> list[str]:
    """Return the modules that these modules import later, and those that are imported later by them in turn."""
    entries: list[str] = []
    waiting = [target for name in names for target in modules[name].later]
    for entry in waiting:
        if entry not in entries:
            entries.append(entry)
            waiting += [target for name in _with_imports(modules, entry) for target in modules[name].later]
    return entries


def _with_imports(modules: Mapping[str, _Module], entry: str) -> list[str]:
    """Return a module after all that it imports, directly or not. Raise ValueError for a cycle or an unknown module."""
    order: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in order:
            return
        if name in path or name not in modules:
            problem = "imports itself" if name in path else "does not exist"
            raise ValueError(f"{name} {problem}: {' > '.join([*path, name])}")
        path.append(name)
        for imported in modules[name].imports:
            visit(imported)
        order.append(path.pop())

    visit(entry)
    return order
