"""Check every file of the repository: its length, its versions, and that it names no machine."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.project.reading import ROOT, text_of, tracked

LIMIT = 400
LONGER = {"server/noughts/store/contract.py": "a contract is read from its first promise to its last"}
"""Files over the limit -> why they are not split."""

LOCKS = tuple(f"requirements/{name}.txt" for name in ("build", "dev", "run", "uv"))
TEXTS = tracked()
CODE = [name for name in TEXTS if Path(name).suffix in (".py", ".js", ".css", ".html", ".lua")]


# --- length ---------------------------------------------------------------------------------------------------------


def test_a_file_is_short_or_has_a_reason() -> None:
    counts = {name: len(text_of(name).splitlines()) for name in CODE if name not in LONGER}
    long = {name: count for name, count in counts.items() if count > LIMIT}
    assert not long, "split them, or add the reasons to LONGER"


# --- versions -------------------------------------------------------------------------------------------------------


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(name: str) -> dict[str, str]:
    """Return the versions in a lock file by package."""
    return {normalized(package): version for package, version in re.findall(r"^([\w.-]+)==(\S+)", text_of(name), re.M)}


def test_every_dependency_has_a_version() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    requirements = project["project"]["dependencies"] + project["build-system"]["requires"]
    for extra in project["project"].get("optional-dependencies", {}).values():
        requirements += extra
    pinned = set(locked("requirements/dev.txt"))
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert name is not None
        assert normalized(name[0]) in pinned, f"{requirement} has no version in requirements/dev.txt"


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_version_is_exact_and_has_hashes(name: str) -> None:
    text = "".join(line for line in text_of(name).splitlines(keepends=True) if not line.startswith("#"))
    requirements = text.replace("\\\n", "").splitlines()
    hashed = r"([a-z0-9-]+)==[A-Za-z0-9._+]+(?: ; [^\\]+?)?(?: +--hash=sha256:[0-9a-f]{64})+"
    matches = [re.fullmatch(hashed, line) for line in requirements]
    assert [line for line, match in zip(requirements, matches, strict=True) if match is None] == []
    names = [match[1] for match in matches if match is not None]
    assert names == sorted(names)
    assert len(requirements) == len(set(requirements))


def test_a_server_gets_the_versions_of_the_tests() -> None:
    tested = locked("requirements/dev.txt")
    for lock in LOCKS:
        assert locked(lock).items() <= tested.items(), lock


def test_a_server_needs_no_package_of_the_tests_alone() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))
    needed = {normalized(re.split(r"[\[<>=;]", name)[0]) for name in project["project"]["dependencies"]}
    assert needed <= set(locked("requirements/run.txt"))
    assert "pytest" not in locked("requirements/run.txt")


def test_lock_files_name_no_registry() -> None:
    """A machine may install from any registry."""
    for name in (*LOCKS, "package-lock.json"):
        assert not re.search(r"https?://(?!opencollective|github\.com/sponsors|www\.patreon)", text_of(name)), name
    lock = json.loads(text_of("package-lock.json"))
    for package in lock["packages"].values():
        assert "resolved" not in package


def test_versions_agree() -> None:
    version = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    assert f'__version__ = "{version}"' in text_of("server/noughts/__init__.py")
    assert f"## [{version.partition('.dev')[0]}]" in text_of("CHANGELOG.md")


# --- machines -------------------------------------------------------------------------------------------------------

MACHINE = re.compile(r"""(?<![\w.~/*-])/(?:work|home|root|Users|mnt|private)/[\w.-]""")


def test_no_path_of_a_machine() -> None:
    texts = {
        name: (ROOT / name).read_text(errors="replace") for name in TEXTS if Path(name).name != Path(__file__).name
    }
    paths = {
        name: text[max(0, match.start() - 40) : match.end() + 40]
        for name, text in texts.items()
        if (match := MACHINE.search(text))
    }
    assert not paths
