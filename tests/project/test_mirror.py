"""Check that the tests mirror the modules, and that they read no private attributes.

``make coverage`` measures how much of a module its own tests run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.project.reading import ROOT, tracked
from tools.module_coverage import mirrored_tests, module_of, modules, own_tests

MODULES = modules()
TESTS = mirrored_tests()
OWN_TESTS = own_tests(MODULES, TESTS)
FILES = [name for name in tracked() if name.startswith("tests/") and name.endswith(".py")]

OTHER_TESTS = {
    "app/endpoints/test_made_up_requests.py": "it sends requests to every endpoint",
    "test_public_names.py": "it tests what `import noughts` offers",
    "engine/test_fingerprint.py": "it compares the node counts of all searches",
}
"""Test files that are named for no module -> why."""

PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_repr_svg_"}
"""Public in spite of their names: those of named tuples, and one of notebooks."""
MAX_NAME = 69


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


# --- modules and their tests ------------------------------------------------------------------------------------------


def test_a_module_has_a_test_file_of_its_name() -> None:
    missing = [
        f"write tests/{Path(module).with_name(f'test_{Path(module).name}')}"
        for module in MODULES
        if not [test for test in OWN_TESTS[module] if module_of(test, MODULES) == module]
    ]
    assert not missing


def test_a_test_file_has_the_name_of_a_module() -> None:
    others = [test for test in TESTS if module_of(test, MODULES) is None and test not in OTHER_TESTS]
    assert not others, "name it test_MODULE.py or test_MODULE_TOPIC.py"


def test_a_package_holds_no_code() -> None:
    """Otherwise its ``__init__.py`` would need tests too."""
    package = ROOT / "server" / "noughts"
    for path in set(package.rglob("__init__.py")) - {
        package / "__init__.py"
    }:  # tests/test_public_names.py tests that one
        docstring, *rest = ast.parse(path.read_text()).body
        assert isinstance(docstring, ast.Expr)
        assert all(isinstance(statement, ast.Assign | ast.ImportFrom) for statement in rest), path


def test_exceptions_are_needed() -> None:
    assert all(test in TESTS and module_of(test, MODULES) is None for test in OTHER_TESTS)


# --- what a test file holds -------------------------------------------------------------------------------------------


@cache
def names_of(path: str) -> tuple[list[str], list[str]]:
    """Return the long names of tests in a file, and the private names that it reads from other modules.

    Private names are attributes, imports, and names as strings.
    """
    tree = ast.parse((ROOT / path).read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    names = [node.name for node in functions if node.name.startswith("test_") and len(node.name) > MAX_NAME]
    return names, list(_private(tree))


def _private(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            of_its_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os")
            if is_private(node.attr) and not of_its_own:
                yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names if is_private(alias.name))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in (
            "getattr",
            "setattr",
            "delattr",
        ):
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield from filter(is_private, argument.value.split("."))


def test_names_of_tests_are_short() -> None:
    """The sentence belongs into the docstring."""
    names = [f"{path}: {name}" for path in FILES for name in names_of(path)[0]]
    assert not names, f"longer than {MAX_NAME} characters"


def test_no_private_attribute_is_read() -> None:
    names = [f"{path}: {name}" for path in FILES for name in names_of(path)[1]]
    assert not names


def test_private_names_are_recognised() -> None:
    code = """
from noughts.room import _secret, __version__
actor._lock
self._own
node.room._queue._waiters
INDEX._replace(listing=None)
monkeypatch.setattr("noughts.app.hub._PACE_MS", 1)
monkeypatch.setattr(hub, "_PACE_S", 1)
getattr(actor, "_task")
actor.__class__
os._exit(0)
"""
    names = ["_secret", "_lock", "_waiters", "_queue", "_PACE_MS", "_PACE_S", "_task"]
    assert sorted(_private(ast.parse(code))) == sorted(names)
