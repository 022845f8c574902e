"""Run every code block of the documentation. Each block names its language, so nothing is skipped silently.

=========  =================================================================================================
language   what happens to a block
=========  =================================================================================================
sh         all blocks of a page run in one shell, beside a running server. ``make`` and ``pip`` change nothing
           there, and ``noughts serve`` and ``noughts bot`` run until they are ready
python     runs in a process of its own; one with ``file=NAME`` after its language is saved for later blocks
pycon      is compared with what Python prints
json       each line is one message of the protocol
js         is a part of the page's code
ts         is a page's code that ``tests/project/test_client_types.py`` checks, with ``jsonc`` as its configuration
html       is a page that ``tests/browser/test_javascript_client.py`` opens and plays on
text       is output, or a command of another program that cannot run here; it is not run
=========  =================================================================================================
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project.reading import ROOT
from tests.support.rooms_over_http import new_room
from tests.support.server import RunningServer

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
RUN_ELSEWHERE = {
    ("protocol.md", "sh"),
    ("protocol.md", "python"),
    ("repair.md", "sh"),
    ("python.md", "python"),
    ("python-client.md", "python"),
}
"""Blocks that other tests run: ``test_protocol_page.py``, with what they answer, ``tests/faults/test_repair.py``, and
``tests/client/test_client.py``."""
LANGUAGES = {"sh", "python", "pycon", "json", "js", "ts", "jsonc", "html", "text"}
TIMEOUT_S = 120.0

SHIM = """#!/bin/sh
# stands in for {name}
{script}
"""
SHIMS = {
    "pip": "exit 0",
    "sudo": "exit 0",
    "make": f'exec /usr/bin/env PATH="$REAL_PATH" make --dry-run --directory {ROOT} "$@" >/dev/null',
    "noughts": """case $1 in
serve) sign='Noughts is ready'; set -- "$@" --host 127.0.0.1 --port 0 --data served.$$ ;;
bot) sign='waits for an opponent'; set -- "$@" --server "$SERVER" ;;
copy) exec "$PYTHON" -c 'import sys
from noughts.app.commands.stores import address_named
from noughts.app.runtime.config import Config
[address_named(address, Config()) for address in sys.argv[1:]]' "$2" "$3" ;;
*) exec "$PYTHON" -m noughts "$@" </dev/null ;;
esac
mkfifo output.$$
"$PYTHON" -m noughts "$@" >output.$$ & program=$!
grep -q -m 1 "$sign" <output.$$; ready=$?
kill $program; wait $program; exit $ready""",
}
"""Programs that must not do here what they do elsewhere. They still check what they are given."""


class Block(NamedTuple):
    """A fenced block of a page: its language, what follows it in the same line, and its text."""

    language: str
    options: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*match) for match in re.findall(r"^```(\w*)([^\n]*)\n(.*?)^```$", page.read_text(), re.M | re.S)]


def of(language: str) -> list[Path]:
    """Return the pages with a block of a language that is run here."""
    return [
        page
        for page in PAGES
        if (page.name, language) not in RUN_ELSEWHERE and any(block.language == language for block in blocks(page))
    ]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_names_its_language(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES
    assert not re.search(r"\n\n {4}\S", re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)), (
        "indented code"
    )


@pytest.mark.parametrize("page", of("sh"), ids=name)
def test_shell_blocks_run(page: Path, server: RunningServer, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for program, script in SHIMS.items():
        (programs / program).write_text(SHIM.format(name=program, script=script))
        (programs / program).chmod(0o755)
    (tmp_path / "data").symlink_to(server.data)
    for block in blocks(page):
        file = block.options.strip().partition("file=")[2]
        if file:
            (tmp_path / file).write_text(block.text)
    script = "\n".join(["set -eu", *(block.text for block in blocks(page) if block.language == "sh")])
    process = subprocess.run(
        ["bash", "-c", script.replace("close ID", f"close {new_room(server)}")],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{programs}:{os.environ['PATH']}",
            "REAL_PATH": os.environ["PATH"],
            "PYTHON": sys.executable,
            "SERVER": server.url,
            "NO_PROXY": "127.0.0.1",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("page", of("python"), ids=name)
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    for number, block in enumerate(block for block in blocks(page) if block.language == "python"):
        file = block.options.strip().partition("file=")[2] or f"block{number}.py"
        (tmp_path / file).write_text(block.text)
        process = subprocess.run(
            [sys.executable, file], cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        assert process.returncode == 0, process.stderr


@pytest.mark.parametrize("page", of("pycon"), ids=name)
def test_examples_print_what_the_page_shows(page: Path) -> None:
    """The examples of a page share their names, as the docstrings of a module do."""
    text = "\n\n".join(block.text for block in blocks(page) if block.language == "pycon")
    start = "from noughts import *\n" if page.name == "python.md" else ""
    names: dict[str, object] = {}
    exec(start, names)
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.attempted
    assert not outcome.failed


@pytest.mark.parametrize("page", of("json"), ids=name)
def test_messages_are_json(page: Path) -> None:
    for block in blocks(page):
        if block.language == "json":
            assert all("type" in json.loads(line) for line in block.text.splitlines())


@pytest.mark.parametrize("page", of("js"), ids=name)
def test_scripts_are_parts_of_the_page(page: Path) -> None:
    code = "\n".join(path.read_text() for path in (ROOT / "client_web" / "js").rglob("*.js*"))
    for block in blocks(page):
        if block.language == "js":
            assert block.text.strip() in code


def test_every_language_is_met() -> None:
    """A pattern that finds no blocks would run none of them."""
    assert {block.language for page in PAGES for block in blocks(page)} == LANGUAGES
