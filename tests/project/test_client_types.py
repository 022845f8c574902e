"""The types of the JavaScript client are those of its modules, and a page of another site can be checked with them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.project.reading import ROOT
from tools import message_types
from tools.client_types import COMPILER, FILE, text

GUIDE: Final = (ROOT / "docs" / "how-to" / "use-the-javascript-client.md").read_text()


def block(language: str) -> str:
    """Return the only block of the guide in a language."""
    (body,) = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.M | re.S)
    return str(body)


def pages_with_errors(pages: Mapping[str, str], directory: Path) -> set[str]:
    """Return the pages in which the compiler reports errors, with the guide's configuration and its place of the types."""
    (directory / "tsconfig.json").write_text(block("jsonc"))
    for file, name in ((FILE, "client"), (message_types.FILE, "net/messages")):
        types = directory / "noughts" / f"{name}.d.ts"
        types.parent.mkdir(exist_ok=True)
        types.write_text(file.read_text())
    for name, page in pages.items():
        (directory / f"{name}.ts").write_text(page)
    command = ["node", str(COMPILER), "--noEmit", "-p", str(directory)]
    output = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120, check=False).stdout
    return set(re.findall(r"^(\S+)\.ts\(\d+,\d+\): error TS", output, re.M))


def test_the_file_is_the_generated_one() -> None:
    """`make message-types` writes it again."""
    assert COMPILER.exists(), "this test needs the packages of npm: npm ci"
    assert FILE.read_text() == text()


def test_the_types_know_the_page_of_the_guide_and_its_mistakes(tmp_path: Path) -> None:
    guide = block("ts")
    mistakes = {
        "cell": guide.replace('move("b2")', "move(5)"),
        "field": guide.replace("game?.legal.", "game?.moves_left."),
        "opponent": guide.replace('opponent: "engine"', 'opponent: "me"'),
    }
    assert guide not in mistakes.values()
    assert pages_with_errors({"guide": guide, **mistakes}, tmp_path) == set(mistakes)
