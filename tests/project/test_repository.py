"""What holds for every file of the repository: length, words, versions, and that it speaks of no machine."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.reading import ROOT, text_of

LIMIT = 400
TEST_LIMIT = 800
"""A test file is a list, read by the names in it, and mirrors one module; it may be longer than what it tests."""
LONGER: dict[str, str] = {}
"""Files over the limit, and why they are not split."""

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
"""Words that nothing of ours is named by, and the word for it: one word for each thing."""

MEANT = {("server/noughts/engine/gravity.py", "slot"): "a place in a hash table is called so everywhere"}
"""Where a banned word means something else."""

DATA = {".book", ".gif", ".png", ".ico", ".svg", ".woff2", ".gz"}
LOCKS = ("constraints.txt", "package-lock.json")


def tracked() -> list[str]:
    """The files of the repository; where git does not tell them, those that are there."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]  # also in a checkout that is another's
    try:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = list(found())
    return [name for name in names if name and (ROOT / name).is_file() and Path(name).suffix not in DATA]


MADE = {"__pycache__", "node_modules", "build", "dist", "data"}
"""Directories that tools make."""


def found() -> Iterator[str]:
    """The files that are there, without what tools make and what hides behind a dot."""
    for where, directories, files in os.walk(ROOT):
        directories[:] = [d for d in directories if d not in MADE and not d.startswith(".") and ".egg-info" not in d]
        yield from ((Path(where) / name).relative_to(ROOT).as_posix() for name in files if name[0] != ".")


TEXTS = tracked()
CODE = [name for name in TEXTS if Path(name).suffix in (".py", ".js", ".css", ".html", ".lua")]
OURS = [name for name in TEXTS if name.startswith("server/noughts/") and name.endswith(".py")]


def test_without_git_the_files_are_found_too(monkeypatch):
    monkeypatch.setenv("GIT_DIR", os.devnull)
    without = set(tracked())
    assert without >= {name for name in TEXTS if not re.search(r"(^|/)\.", name)}
    assert not [name for name in without if re.search(r"(^|/)(\.|__pycache__|node_modules|data/)|\.pyc$", name)]


# --- length ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CODE)
def test_a_file_is_short_or_says_why(name):
    limit = TEST_LIMIT if name.startswith("tests/") else LIMIT
    lines = len(text_of(name).splitlines())
    assert lines <= limit or name in LONGER, f"{lines} lines: split it, or say in LONGER why not"


def test_exceptions_are_needed():
    for name in LONGER:
        assert len(text_of(name).splitlines()) > LIMIT, f"{name} is short now"


# --- words ----------------------------------------------------------------------------------------------------------


def names_of(tree: ast.AST) -> Iterator[str]:
    """What a module names itself: functions, classes, arguments, variables, fields. Not what others named."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def parts(name: str) -> set[str]:
    """The words in a name: ``snake_case`` and ``CamelCase`` taken apart."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


@pytest.mark.parametrize("name", OURS)
def test_each_thing_has_one_word(name):
    for named in names_of(ast.parse(text_of(name))):
        for word in parts(named) & BANNED.keys():
            if (name, word) in MEANT:
                continue
            pytest.fail(f"{named}: here it is called {BANNED[word]}")
    assert Path(name).stem not in BANNED


def test_the_words_in_a_name():
    assert parts("MAX_USER_ID") == {"max", "user", "id"}
    assert parts("aim") == {"aim"}
    assert parts("AiPlayer") == {"ai", "player"}
    assert parts("_bot_seat") == {"bot", "seat"}


# --- versions -------------------------------------------------------------------------------------------------------


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_its_version():
    project = tomllib.loads(text_of("pyproject.toml"))
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        wanted += extra
    fixed = dict(re.findall(r"^([A-Za-z0-9._-]+)==(\S+)$", text_of("constraints.txt"), re.M))
    known = {plain(name) for name in fixed}
    for requirement in wanted:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name is not None
        assert plain(name[0]) in known, f"{requirement} has no version in constraints.txt"


def test_constraints_are_exact_and_in_order():
    lines = [line for line in text_of("constraints.txt").splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._+]+", line) for line in lines)
    names = [line.partition("==")[0].lower() for line in lines]
    assert names == sorted(set(names))


def test_lock_files_name_no_registry():
    """So that they hold on every machine, whatever it installs from."""
    for name in LOCKS:
        assert not re.search(r"https?://(?!opencollective|github\.com/sponsors|www\.patreon)", text_of(name)), name
    lock = json.loads(text_of("package-lock.json"))
    for package in lock["packages"].values():
        assert "resolved" not in package


def test_versions_agree():
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert f'__version__ = "{version}"' in text_of("server/noughts/__init__.py")


# --- machines -------------------------------------------------------------------------------------------------------

MACHINE = re.compile(r"""(?<![\w.~/*-])/(?:work|home|root|Users|mnt|private)/[\w.-]""")


@pytest.mark.parametrize("name", TEXTS)
def test_no_path_of_a_machine(name):
    if Path(name).name == Path(__file__).name:
        return
    text = (ROOT / name).read_text(errors="replace")
    found = MACHINE.search(text)
    assert found is None, text[max(0, found.start() - 40) : found.end() + 40] if found else ""


def test_what_a_path_of_a_machine_is():
    assert MACHINE.search("see /home/ann/x")
    assert MACHINE.search('"/root/x"')
    assert not MACHINE.search("http://127.0.0.1/home/x")
    assert not MACHINE.search("/var/lib/noughts")
