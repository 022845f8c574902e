"""Check every file of the repository: its length, its words, its versions, and that it names no machine."""

from __future__ import annotations

import ast
import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.reading import ROOT, text_of, tracked

LIMIT = 400
TEST_LIMIT = 800
"""A test file mirrors one module. It is read by the names in it, so it may be longer than the module."""
LONGER: dict[str, str] = {}
"""Files over the limit -> why they are not split."""

BANNED = {
    "symbol": "mark",
    "piece": "mark",
    "colour": "mark",
    "color": "mark",
    "tile": "cell",
    "square": "cell",
    "slot": "seat",
    "ai": "engine",
    "bot": "engine",
    "difficulty": "level",
    "user": "player",
    "viewer": "spectator",
    "streak": "line",
    "combo": "line",
    "session": "game, or connection",
    "packet": "message",
    "broker": "relay",
    "bus": "relay",
    "seq": "version",
    "dump": "view",
    "utils": "a name that says what is in it",
    "helper": "a name that says what is in it",
    "helpers": "a name that says what is in it",
    "manager": "a name that says what it does",
}
"""Words that no name of ours contains -> what to say instead."""

MEANT = {("server/noughts/engine/gravity.py", "slot"): "a place in a hash table is called so everywhere"}
"""(file, word) -> why the word means something else there."""

LOCKS = ("constraints.txt", "package-lock.json")
TEXTS = tracked()
CODE = [name for name in TEXTS if Path(name).suffix in (".py", ".js", ".css", ".html", ".lua")]
OURS = [name for name in TEXTS if name.startswith("server/noughts/") and name.endswith(".py")]


def test_files_are_listed_without_git_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", os.devnull)
    names = set(tracked())
    assert names >= {name for name in TEXTS if not re.search(r"(^|/)\.", name)}
    assert not [name for name in names if re.search(r"(^|/)(\.|__pycache__|node_modules|data/)|\.pyc$", name)]


# --- length ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODE)
def test_a_file_is_short_or_has_a_reason(name: str) -> None:
    limit = TEST_LIMIT if name.startswith("tests/") else LIMIT
    lines = len(text_of(name).splitlines())
    assert lines <= limit or name in LONGER, f"{lines} lines: split it, or add the reason to LONGER"


def test_exceptions_are_needed() -> None:
    for name in LONGER:
        assert len(text_of(name).splitlines()) > LIMIT, f"{name} is short now"


# --- words ----------------------------------------------------------------------------------------------------------


def names_of(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module gives: functions, classes, arguments, variables, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def parts(name: str) -> set[str]:
    """Return the words of a ``snake_case`` or ``CamelCase`` name."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


@pytest.mark.parametrize("name", OURS)
def test_each_thing_has_one_word(name: str) -> None:
    for identifier in names_of(ast.parse(text_of(name))):
        for word in parts(identifier) & BANNED.keys():
            if (name, word) in MEANT:
                continue
            pytest.fail(f"{identifier}: here it is called {BANNED[word]}")
    assert Path(name).stem not in BANNED


def test_names_are_split_into_words() -> None:
    assert parts("MAX_USER_ID") == {"max", "user", "id"}
    assert parts("aim") == {"aim"}
    assert parts("AiPlayer") == {"ai", "player"}
    assert parts("_bot_seat") == {"bot", "seat"}


# --- versions -------------------------------------------------------------------------------------------------------


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_a_version() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    requirements = project["project"]["dependencies"] + project["build-system"]["requires"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        requirements += extra
    versions = dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)$", text_of("constraints.txt"), re.M))
    pinned = {normalized(name) for name in versions}
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name is not None
        assert normalized(name[0]) in pinned, f"{requirement} has no version in constraints.txt"


def test_constraints_are_exact_and_sorted() -> None:
    lines = [line for line in text_of("constraints.txt").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+]+", line) for line in lines)
    names = [line.partition("==")[0].lower() for line in lines]
    assert names == sorted(set(names))


def test_lock_files_name_no_registry() -> None:
    """A machine may install from any registry."""
    for name in LOCKS:
        assert not re.search(r"https?://(?!opencollective|github\.com/sponsors|www\.patreon)", text_of(name)), name
    lock = json.loads(text_of("package-lock.json"))
    for package in lock["packages"].values():
        assert "resolved" not in package


def test_versions_agree() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert f'__version__ = "{version}"' in text_of("server/noughts/__init__.py")


# --- machines -------------------------------------------------------------------------------------------------------

MACHINE = re.compile(r"""(?<![\w.~/*-])/(?:work|home|root|Users|mnt|private)/[\w.-]""")


@pytest.mark.parametrize("name", TEXTS)
def test_no_path_of_a_machine(name: str) -> None:
    if Path(name).name == Path(__file__).name:
        return
    text = (ROOT / name).read_text(errors="replace")
    match = MACHINE.search(text)
    assert match is None, text[max(0, match.start() - 40) : match.end() + 40] if match else ""


def test_paths_of_machines_are_recognised() -> None:
    assert MACHINE.search("see /home/ann/x")
    assert MACHINE.search('"/root/x"')
    assert not MACHINE.search("http://127.0.0.1/home/x")
    assert not MACHINE.search("/var/lib/noughts")
