"""tools/release.py: what it refuses, and what it builds."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.project.reading import ROOT, text_of

VERSION = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
CHANGELOG = f"# Changelog\n\n## [Unreleased]\n\n## [{VERSION}] - 2026-11-21\n\n- The first version.\n"
FILES = ("pyproject.toml", "README.md", "LICENSE", ".gitignore", "tools/release.py", "server/noughts", "client_web")


def git(checkout: Path, *arguments: str) -> None:
    author = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *author, *arguments], cwd=checkout, check=True, capture_output=True)


def write(checkout: Path, **texts: str) -> None:
    """Write files, named without their suffix .md."""
    for name, text in texts.items():
        (checkout / f"{name}.md").write_text(text)


def commit(checkout: Path, **texts: str) -> None:
    """Write files and commit everything."""
    write(checkout, **texts)
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--message", "Change")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a clean checkout of the branch main that can be released."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    for name in FILES:
        source, target = ROOT / name, origin / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            shutil.copy(source, target)
    git(origin, "init", "--quiet", "--initial-branch", "main")
    commit(origin, CHANGELOG=CHANGELOG)
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    return clone


def release(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "tools/release.py"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False, timeout=120)


def obstacle(checkout: Path) -> str:
    """Return why nothing was released, after checking that nothing was built."""
    process = release(checkout)
    assert process.returncode == 1, process.stdout
    assert not (checkout / "dist").exists()
    return process.stderr


def test_clean_main_builds_wheel_and_sdist(checkout: Path) -> None:
    process = release(checkout)
    assert process.returncode == 0, process.stderr
    names = {path.name for path in (checkout / "dist").iterdir()}
    assert names == {f"noughts-{VERSION}-py3-none-any.whl", f"noughts-{VERSION}.tar.gz"}


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        ({"README": "changed\n"}, "README.md"),
        ({"server/noughts/new": ""}, "server/noughts/new.md"),
    ],
)
def test_a_checkout_with_changes_blocks_the_release(checkout: Path, texts: dict[str, str], reason: str) -> None:
    write(checkout, **texts)
    assert reason in obstacle(checkout)


@pytest.mark.parametrize(
    ("changelog", "reason"),
    [
        (CHANGELOG.replace(VERSION, "0.0.1"), "the newest version in CHANGELOG.md is 0.0.1"),
        (CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- A new game.\n"), "under Unreleased"),
    ],
)
def test_a_changelog_without_the_version_blocks_the_release(checkout: Path, changelog: str, reason: str) -> None:
    commit(checkout, CHANGELOG=changelog)
    assert reason in obstacle(checkout)


def test_tag_of_the_version_can_be_released_without_a_branch(checkout: Path) -> None:
    git(checkout, "switch", "--quiet", "--create", "topic")
    assert "The branch is topic." in obstacle(checkout)
    git(checkout, "switch", "--quiet", "--detach")
    assert "The branch is detached." in obstacle(checkout)
    git(checkout, "tag", f"v{VERSION}")
    assert release(checkout).returncode == 0
