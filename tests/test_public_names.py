"""What ``import noughts`` offers: the public names, their types, their docstrings, and how long the import takes."""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

import noughts
from tests.project.reading import ROOT

STUB = ROOT / "server" / "noughts" / "__init__.pyi"
NAMES = [name for name in noughts.__all__ if name != "__version__"]
IMPORT_RATIO = 3.0
"""How many times as long as an empty program `import noughts` may take."""


def documented() -> list[str]:
    """Return the modules with examples in their docstrings."""
    root = ROOT / "server"
    paths = [path for path in root.rglob("noughts/**/*.py") if ">>> " in path.read_text()]
    return sorted(".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for path in paths)


def test_every_public_name_can_be_imported_and_says_what_it_is() -> None:
    for name in NAMES:
        value = getattr(noughts, name)
        assert name == "variants" or getattr(value, "__doc__", None), name
    assert set(NAMES) <= set(dir(noughts))


def test_the_stub_has_the_same_names() -> None:
    statements = ast.parse(STUB.read_text()).body
    imported = {alias.asname for node in statements if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert imported == set(NAMES)
    homes = {alias.name: node.module for node in statements if isinstance(node, ast.ImportFrom) for alias in node.names}
    for name, home in homes.items():
        assert getattr(importlib.import_module(str(home)), name) is getattr(noughts, name)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        getattr(noughts, "chess")  # noqa: B009 - mypy knows that there is no such name


@pytest.mark.parametrize("name", documented())
def test_examples_in_docstrings_work(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed


def test_public_modules_have_examples() -> None:
    assert {"noughts", "noughts.library", "noughts.rules.game"} <= set(documented())


def test_nothing_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, noughts; print([name for name in sys.modules if name.startswith('noughts.') or name == 'msgspec'])"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "[]\n"


def test_the_import_takes_little_more_than_an_empty_program(tmp_path: Path) -> None:
    def seconds(code: str) -> float:
        before = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
        return time.perf_counter() - before

    pairs = [(seconds("pass"), seconds("import noughts")) for _ in range(7)]
    assert min(whole for _, whole in pairs) < min(empty for empty, _ in pairs) * IMPORT_RATIO
