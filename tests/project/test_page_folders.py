"""The folders of the page's modules have a direction: a module imports from its own folder and from those before it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

JS: Final = Path(__file__).parents[2] / "client_web" / "js"
FOLDERS: Final = (
    "browser",
    "texts",
    "net",
    "board",
    "start",
    "room",
    "review",
    "puzzle",
    "learn",
    "tournament",
    "admin",
    "main",
)
"""From the bottom up. What a folder imports later, with ``import()``, may lie above it."""
IMPORT: Final = re.compile(r'^(?:import|export) .*?from "(\.[^"]+)";$', re.M | re.S)
ENTRIES: Final = {"client.js", "first_paint.js", "service_worker.js"}
"""Modules beside the folders: what pages of other sites import, and scripts that import nothing."""


def folders_imported(module: Path) -> set[str]:
    """Return the folders of the modules that a module imports."""
    paths = [(module.parent / path).resolve() for path in IMPORT.findall(module.read_text())]
    return {path.relative_to(JS).parts[0] for path in paths}


def test_no_module_imports_from_a_folder_above() -> None:
    modules = sorted(JS.glob("*/*.js"))
    assert {module.parent.name for module in modules} == set(FOLDERS)
    for module in modules:
        below = FOLDERS[: FOLDERS.index(module.parent.name) + 1]
        assert folders_imported(module) <= set(below), module.name


def test_the_client_needs_the_net_alone() -> None:
    """Pages of other sites load its modules one by one."""
    assert {path.name for path in JS.glob("*.js")} == ENTRIES
    assert folders_imported(JS / "client.js") == {"net"}
    assert set().union(*(folders_imported(JS / f"net/{name}.js") for name in ("connection", "http", "urls"))) == {"net"}


def test_one_module_touches_what_a_browser_may_block() -> None:
    """Storage, caches, service workers and notifications may throw, and so may the history."""
    blocked = re.compile(
        r"(?<![\w.])(?:window\.)?(?:localStorage|sessionStorage|caches)\b(?=[.\[])|navigator\.serviceWorker"
        r"|\bNotification\.\w|\bhistory\.(?:push|replace)State"
    )
    touching = {path.name for path in JS.glob("*/*.js") if blocked.search(path.read_text())}
    assert touching == {"storage.js", "urls.js"}  # urls.js sets the address
    unasked = {path.name for path in JS.glob("*/*.js") if re.search(r"warn\(.*\.message\)", path.read_text())}
    assert unasked == {"failures.js"}
