"""The floors: imports go down only, the pure ones touch neither time nor chance, and each library lives in few files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "server" / "noughts"
MODULES = sorted(PACKAGE.rglob("*.py"))

MAY_IMPORT = {
    "errors": set(),
    "values": set(),
    "rules": {"errors", "values", "rules"},
    "engine": {"errors", "values", "rules", "engine"},
    "room": {"errors", "values", "rules", "engine", "room"},
    "protocol": {"errors", "values", "rules", "engine", "room", "protocol"},
    "store": {"errors", "values", "rules", "engine", "room", "store"},
    "app": {"errors", "values", "rules", "engine", "room", "protocol", "store", "app"},
}
PURE = {"errors", "values", "rules", "engine", "room", "protocol"}
IMPURE = {"asyncio", "time", "logging", "os", "threading", "subprocess", "socket", "secrets"}
HOMES = {
    "aiohttp": {"app"},
    "sqlite3": {"store"},
    "prometheus_client": {"app/telemetry.py"},
    "segno": {"app/routes.py"},
    "uvloop": {"app/cli.py"},
    "structlog": {"app"},
    "msgspec": {"values", "room", "protocol", "app"},  # frozen values; JSON itself only in protocol
}


def floor_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the floor"
            yield node, node.module or ""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_keeps_to_its_floor(path: Path) -> None:
    name, floor = path.relative_to(PACKAGE).as_posix(), floor_of(path)
    tree = ast.parse(path.read_text())
    for _, module in imports(tree):
        top, *rest = module.split(".")
        if top == "noughts":
            assert not rest or rest[0] in MAY_IMPORT.get(floor, set()) | {floor}, f"{name} imports {module}"
        homes = HOMES.get(top)
        assert homes is None or floor in homes or name in homes, f"{name} imports {module}, which lives in {homes}"
        assert floor not in PURE or top not in IMPURE | {"aiohttp", "sqlite3", "redis"}, f"{name} imports {module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert not list(imports(node)), f"{name}: an import inside {node.name} hides a cycle"
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            assert not any(module.startswith("noughts") for _, module in imports(node)), f"{name} hides a cycle"
        if floor in PURE and isinstance(node, ast.Call) and ast.unparse(node.func).startswith("random."):
            assert ast.unparse(node.func) == "random.Random", f"{name} draws from the module's own random"


def test_every_floor_is_known() -> None:
    assert {floor_of(path) for path in MODULES} <= set(MAY_IMPORT) | {"__init__"}
