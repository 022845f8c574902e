"""Check that imports go down only, that pure floors read no clock, and that each library has few homes."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

from noughts.command_line import COMMANDS, PARTS

PACKAGE = Path(__file__).parents[2] / "server" / "noughts"
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}

_BOTTOM = {"errors", "values", "printable"}
_PROGRAMS = {"command_line", "rules", "engine", "puzzles", "room", "tournament", "protocol"}
MAY_IMPORT: Mapping[str, Set[str]] = {
    "errors": set(),
    "values": set(),
    "printable": set(),
    "command_line": {"printable"},
    "rules": _BOTTOM,
    "engine": _BOTTOM | {"rules"},
    "puzzles": _BOTTOM | {"rules", "engine"},
    "room": _BOTTOM | {"rules"},
    "tournament": _BOTTOM | {"rules", "room"},
    "protocol": _BOTTOM | {"rules", "engine", "puzzles", "room", "tournament"},
    "store": _BOTTOM | {"rules", "room", "tournament"},
    "library": _BOTTOM | {"rules", "engine"},
    "client": _BOTTOM | {"rules", "engine", "puzzles", "room", "tournament", "protocol"},
    "bots": _BOTTOM | _PROGRAMS | {"client", "library"},
    "terminal": _BOTTOM | _PROGRAMS | {"client", "library"},
    "app": _BOTTOM | _PROGRAMS | {"store"},
    "__main__": {"command_line", "printable"},
}
"""Floor -> the floors below it that it may import. Each may import itself."""
APP_FLOORS = (
    ("app/runtime",),
    ("app/delivery", "app/page", "app/pictures", "app/search", "app/players", "app/push"),
    ("app/machines",),
    ("app/node",),
    ("app/endpoints",),
    ("app/rooms",),
    ("app/tournaments",),
    ("app/lobby",),
    ("app/other_nodes.py",),
    ("app/server.py",),
    ("app/commands",),
)
"""The packages of the application from the bottom up. None imports its neighbours on a floor, nor anything above."""
PURE = {"errors", "values", "printable", "rules", "engine", "puzzles", "room", "tournament", "protocol"}
IMPURE = {"asyncio", "time", "logging", "os", "threading", "subprocess", "socket", "secrets"}
HOMES: Mapping[str, Set[str]] = {
    "aiohttp": {
        "client",
        "app/delivery",
        "app/endpoints",
        "app/rooms/admin.py",
        "app/rooms/endpoints.py",
        "app/tournaments/endpoints.py",
        "app/lobby/endpoints.py",
        "app/push/posts.py",
        "app/runtime/logs.py",
        "app/server.py",
        "app/commands/serve_command.py",
        "app/commands/doctor_outside.py",
    },
    "sqlite3": {"store/sqlite"},
    "hiredis": {"store/redis/client.py", "store/redis/connection.py"},
    "redis": {"store/redis"},
    "websockets": {"client", "app/delivery"},
    "prometheus_client": {"app/runtime/metrics.py"},
    "prompt_toolkit": {"terminal/prompt_console.py"},
    "resvg_py": {"app/pictures/rasterizer.py"},
    "markdown_it": {"app/page/documents.py"},
    "segno": {"app/endpoints/reference.py", "app/commands/link_picture.py"},
    "uvloop": {"app/commands/serve_command.py"},
    "wasmtime": {"engine/compiled/program.py"},
    "structlog": {"app"},
    "msgspec": {
        "values.py",
        "room",
        "tournament",
        "protocol",
        "puzzles",
        "client",
        "bots",
        "app",
    },  # frozen values; JSON itself only in protocol
    "noughts.store.sqlite": {"store/sqlite", "app/commands"},  # only commands choose a store
    "noughts.store.redis": {"store/redis", "app/commands"},
}
"""Library, or package of ours -> the only files and directories that import it."""
TABLES = {"__init__.py", "command_line.py"}
"""The only files that import a module when it is needed: each from its table."""


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a tree imports, at its top and in its functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the floor"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield ast.unparse(node.args[0]).strip("'") if isinstance(node.args[0], ast.Constant) else "a name"


def lies_in(name: str, path: str) -> bool:
    """Return whether a file is this one, or in this directory."""
    return name == path or name.startswith(path + "/")


def file_of(module: str) -> str:
    """Return the file or directory in which something imported from the package is defined."""
    parts = module.split(".")[1:]
    for end in range(len(parts), 0, -1):
        path = "/".join(parts[:end])
        if f"{path}.py" in MODULES:
            return f"{path}.py"
        if f"{path}/__init__.py" in MODULES:
            return path
    return ""


def app_floor(name: str) -> tuple[int, str] | None:
    """Return the number of the floor of a file of the application, and the path that names it: the most exact one."""
    paths = [(path, number) for number, floor in enumerate(APP_FLOORS) for path in floor if lies_in(name, path)]
    if not paths:
        return None
    path, number = max(paths, key=lambda entry: len(entry[0]))
    return number, path


def violations(name: str, source: str) -> list[str]:
    """Return what is against the rules in a module of the package."""
    tree, floor = ast.parse(source), name.split("/")[0].removesuffix(".py")
    return [*_imports_upwards(name, floor, tree), *_homeless(name, tree), *_hidden(name, tree), *_impure(floor, tree)]


def _imports_upwards(name: str, floor: str, tree: ast.AST) -> Iterator[str]:
    own = app_floor(name)
    for module in imports(tree):
        if not module.startswith("noughts.") or module == "noughts.__version__":
            continue
        target = file_of(module)
        target_floor = target.split("/")[0].removesuffix(".py")
        if target and target_floor not in MAY_IMPORT[floor] | {floor}:
            yield f"imports {module}, which is not below"
        other = app_floor(target)
        if own is not None and other is not None and own[1] != other[1] and other[0] >= own[0]:
            yield f"imports {module}, which is not below in the application"


def _homeless(name: str, tree: ast.AST) -> Iterator[str]:
    for module in imports(tree):
        for library, homes in HOMES.items():
            if (module == library or module.startswith(library + ".")) and not any(lies_in(name, at) for at in homes):
                yield f"imports {module}, which lives in {sorted(homes)}"


def _hidden(name: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and list(imports(node)) and name not in TABLES:
            yield f"an import inside {node.name} hides a cycle"
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from (f"hides {module}" for module in imports(node) if module.startswith("noughts"))


def _impure(floor: str, tree: ast.AST) -> Iterator[str]:
    if floor not in PURE:
        return
    for module in imports(tree):
        if module.split(".")[0] in IMPURE | {"aiohttp", "sqlite3", "hiredis"}:
            yield f"imports {module} on a pure floor"
    for node in ast.walk(tree):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if called.startswith("random.") and called != "random.Random":
            yield "draws from the module's own random"


@pytest.mark.parametrize("name", MODULES)
def test_a_module_keeps_to_its_floor(name: str) -> None:
    assert violations(name, MODULES[name].read_text()) == []


def test_no_private_name_is_imported() -> None:
    """Any release may change what begins with an underscore. Ruff finds attributes of this kind (SLF001)."""
    root = PACKAGE.parents[1]
    for path in itertools.chain(*[(root / name).rglob("*.py") for name in ("server", "tests", "bench", "tools")]):
        names = {part for module in imports(ast.parse(path.read_text())) for part in module.split(".")}
        assert not [name for name in names if re.match(r"_(?!_)", name)], path


def test_every_floor_is_known() -> None:
    assert {name.split("/")[0].removesuffix(".py") for name in MODULES} <= set(MAY_IMPORT) | {"__init__"}
    unplaced = [
        name for name in MODULES if name.startswith("app/") and name != "app/__init__.py" and not app_floor(name)
    ]
    assert unplaced == []


def test_every_command_has_its_module() -> None:
    """The table names modules above it as text, so the check of imports does not see them."""
    for module in (*[command.module for command in COMMANDS.values()], *PARTS.values()):
        assert module.removeprefix("noughts.").replace(".", "/") + ".py" in MODULES


def test_floors_are_listed_from_the_bottom_up() -> None:
    """A floor may import what one that it imports may import."""
    for floor, below in MAY_IMPORT.items():
        assert floor not in below
        assert all(MAY_IMPORT[each] <= below for each in below)


def test_every_path_is_there() -> None:
    """Apart from the floors that are to come."""
    paths = {path for floor in APP_FLOORS for path in floor} | {home for homes in HOMES.values() for home in homes}
    for path in paths:
        assert any(lies_in(name, path) for name in MODULES), path


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("rules/x.py", "from noughts.room.room import Room"),
        ("command_line.py", "from noughts.app.commands.serve_command import main"),
        ("app/runtime/x.py", "from noughts.app.delivery.hub import Hub"),
        ("app/players/bans.py", "from noughts.app.lobby.feed import LobbyFeed"),
        ("app/server.py", "from noughts.store.sqlite.store import SqliteStore"),
        ("app/rooms/x.py", "from aiohttp import web"),
        ("rules/x.py", "import msgspec"),
        ("room/x.py", "import time"),
        ("room/x.py", "from asyncio import sleep"),
        ("engine/x.py", "import random\nrandom.random()"),
        ("store/x.py", "def f():\n    from noughts.errors import Rejection"),
        ("terminal/x.py", "importlib.import_module('noughts.app.server')"),
        ("room/x.py", "if TYPE_CHECKING:\n    from noughts.room.room import Room"),
        ("terminal/x.py", "def f():\n    import_module('noughts.terminal.prompt_console')"),
    ],
)
def test_forbidden_imports_are_recognised(name: str, source: str) -> None:
    assert violations(name, source)
