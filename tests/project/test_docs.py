"""Check that the docs describe every setting, code, command, metric and make target, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from noughts.app.runtime.config import SETTINGS
from noughts.command_line import COMMANDS
from noughts.errors import CODES
from noughts.protocol import asyncapi
from noughts.protocol.asyncapi import MESSAGES
from noughts.protocol.close_codes import CLOSE_CODES
from noughts.protocol.endpoints import ENDPOINTS
from noughts.room.commands import Command
from noughts.room.events import ViewEvent
from tests.project.reading import ROOT, quoted, rows, section, text_of, tracked

PROTOCOL = text_of("docs/reference/protocol.md")
PAGES = sorted(
    [
        *(page for page in ROOT.glob("*.md") if page.name != "CHANGELOG.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "deploy").rglob("*.md"),
    ]
)
"""All but the changelog, which speaks of what is gone too."""
CODE_PATH = re.compile(r"`([\w.-]+(?:/[\w.@-]+)+\.(?:py|js|lua|md|toml|json|yaml|c|txt|conf|service))`")
TOKEN_USE = {"needed": "needed", "welcome": "optional", "unused": ""}
"""The page's word for each use of a token in the table of endpoints."""


def tag(kind: type) -> str:
    """Return the value of the JSON field `type` for a class of messages."""
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]


def first_words(table: list[list[str]]) -> list[str]:
    return [word for row in table for word in quoted(row[0])]


# --- settings -------------------------------------------------------------------------------------------


def test_flags_in_the_docs_exist() -> None:
    flags = set(re.findall(r"--[a-z][a-z-]+", text_of("docs/reference/command-line.md"))) | {"--version"}
    for page in PAGES:
        if page.parent.name == "deploy":  # other programs have flags too
            continue
        mentioned = set(re.findall(r"(?:noughts [^`\n]*?|`)(--[a-z][a-z-]+)", page.read_text()))
        assert mentioned <= flags, page.name


def test_variables_in_the_docs_and_in_deploy_exist() -> None:
    variables = {setting.variable for setting in SETTINGS}
    deploy = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]
    for page in {*PAGES, *deploy}:
        mentioned = set(re.findall(r"\bNOUGHTS_[A-Z_]+[A-Z]", page.read_text()))
        assert mentioned <= variables, page.name


# --- the protocol ---------------------------------------------------------------------------------------------------


def test_every_code_is_in_the_table_of_rejections() -> None:
    """The codes stand in the order in which they apply."""
    table = rows(section(PROTOCOL, "## Rejections"))
    assert [(row[0].strip("`"), row[1]) for row in table] == [(code, info.over) for code, info in CODES.items()]


def test_every_command_is_in_the_table_with_its_fields() -> None:
    table = {row[0].strip("`"): row for row in rows(section(PROTOCOL, "## Commands"))}
    assert list(table) == [tag(command) for command in asyncapi.ROOM_COMMANDS]
    tournaments = {name: row for row in rows(section(PROTOCOL, "## Tournaments")) for name in quoted(row[0])}
    assert {tag(command) for command in asyncapi.TOURNAMENT_COMMANDS} <= set(tournaments)
    shared_fields = set(Command.__struct_fields__)
    for commands, lines in ((asyncapi.ROOM_COMMANDS, table), (asyncapi.TOURNAMENT_COMMANDS, tournaments)):
        for command in commands:
            fields = set(command.__struct_fields__) - shared_fields
            assert fields <= set(quoted(lines[tag(command)][1])), tag(command)


def test_every_event_is_in_the_table() -> None:
    table = rows(section(PROTOCOL, "## Messages from the server"))
    assert {tag(event) for event in get_args(ViewEvent)} <= set(first_words(table))


def test_every_message_is_described() -> None:
    text = (
        section(PROTOCOL, "## Messages from the server")
        + section(PROTOCOL, "## Commands")
        + section(PROTOCOL, "## The WebSocket")
    )
    for message in MESSAGES:
        assert f"`{tag(message)}`" in text or f'"type": "{tag(message)}"' in text, tag(message)


def test_every_close_code_is_in_the_table() -> None:
    table = rows(section(PROTOCOL, "## Close codes"))
    assert sorted(int(code) for row in table for code in row[0].split(",")) == sorted(CLOSE_CODES)


def test_every_endpoint_is_in_the_table() -> None:
    table = {row[0].strip("`"): row[1] for row in rows(section(PROTOCOL, "## HTTP")) if row[0].count(" ") == 1}
    endpoints = {f"{call.method} {call.path}": call.token for call in ENDPOINTS}
    assert set(table) == set(endpoints)
    for name, token in endpoints.items():
        assert table[name] == ("in the hello" if name == "GET /ws" else TOKEN_USE[token]), name


# --- links, pictures and commands -----------------------------------------------------------------------------------


def anchor(heading: str) -> str:
    """Return the fragment of a link to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if fragment:
            headings = re.findall(r"^#+ (.+)$", target.read_text(), re.M)
            assert fragment in map(anchor, headings), link


def test_paths_in_the_docs_exist() -> None:
    """A path may leave out the folders above it."""
    names = [f"/{name}" for name in tracked()]
    for page in PAGES:
        paths = CODE_PATH.findall(page.read_text())
        assert not [path for path in paths if not any(name.endswith(f"/{path}") for name in names)], page.name


def test_every_page_is_reachable_from_the_readme() -> None:
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text())
        todo += [(page.parent / link).resolve() for link in links]
    assert {page for page in PAGES if page.parent != ROOT} <= reached


def test_pictures_of_the_readme_are_small() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text_of("README.md"))
    assert [name for name in pictures if name.endswith(".gif")]
    assert sum((ROOT / name).stat().st_size for name in pictures) < 1_000_000


def test_commands_in_the_docs_exist() -> None:
    """Read only what a reader types: text in backquotes, or the start of a line in a block."""
    targets = set(re.findall(r"^([a-z][a-z-]*):", text_of("Makefile") + text_of("lab.mk"), re.M))
    for page in PAGES:
        for program, word in re.findall(r"(?:^|`)(make|noughts) ([a-z][a-z-]*)", page.read_text(), re.M):
            assert word in (targets if program == "make" else COMMANDS), f"{page.name}: {program} {word}"
