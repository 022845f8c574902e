"""Build a release: the wheel and the sdist in dist/.

The tool refuses to build unless

- the branch is main, or the commit has the tag of the version,
- git knows of no change that is not committed,
- the newest version in CHANGELOG.md is the version in pyproject.toml,
- nothing is listed under Unreleased in CHANGELOG.md.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def git(*arguments: str) -> str:
    """Return what a git command prints, without white space around it."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def project_version() -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def changes() -> list[tuple[str, str]]:
    """Return the sections of CHANGELOG.md, newest first: the name in the heading's brackets, and the text below."""
    parts = re.split(r"^## \[([^\]]+)\].*$", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    return [(name, text.strip()) for name, text in zip(parts[1::2], parts[2::2], strict=True)]


def obstacle(version: str) -> str | None:
    """Return why this version cannot be released now, or None if it can."""
    branch = git("branch", "--show-current")
    if branch != "main" and f"v{version}" not in git("tag", "--points-at", "HEAD").split():
        return f"The branch is {branch or 'detached'}. Release from main."
    if changed := git("status", "--porcelain"):
        return f"These changes are not committed:\n{changed}"
    sections = changes()
    newest = next((name for name, _ in sections if name != "Unreleased"), "none")
    if newest != version:
        return f"pyproject.toml has the version {version}, but the newest version in CHANGELOG.md is {newest}."
    if dict(sections).get("Unreleased"):
        return "CHANGELOG.md lists changes under Unreleased. Move them below the heading of a new version."
    return None


def main() -> None:
    """Check that the release is possible, and build it. Exit with status 1 and the reason if it is not."""
    version = project_version()
    if reason := obstacle(version):
        raise SystemExit(f"Not released. {reason}")
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--target", "wheel"]
    subprocess.run([*build, "--directory", str(target)], cwd=ROOT, check=True)
    print(f"Built {', '.join(sorted(path.name for path in target.iterdir()))}. The tag of this version is v{version}.")


if __name__ == "__main__":
    main()
