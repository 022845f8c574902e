"""What the docs say of settings, codes, commands, metrics and commands to type is what there is, and all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import get_args

import pytest

from noughts.app.config import SETTINGS, markdown
from noughts.app.telemetry import Metrics
from noughts.errors import Code
from noughts.protocol.asyncapi import CLOSE_CODES, COMMANDS, MESSAGES
from noughts.protocol.call_table import CALLS, REFUSALS
from noughts.room.commands import Command
from noughts.room.events import ViewEvent
from tests.project.reading import ROOT, rows, section, text_of, words

PROTOCOL = text_of("docs/protocol.md")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")])
TOKEN_USE = {"needed": "needed", "welcome": "optional", "unused": ""}
"""The page's word for each use of a token in the table of endpoints."""
ON_HTTP_ALONE = {"unknown_room", "not_found", "not_allowed", "conflict", "too_large", "unsupported_media"}


def tag(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined]


def first_words(table: list[list[str]]) -> list[str]:
    return [word for row in table for word in words(row[0])]


# --- settings and metrics -------------------------------------------------------------------------------------------


def test_the_page_of_settings_is_the_one_that_the_command_prints():
    printed = subprocess.run(
        [sys.executable, "-m", "noughts.app.cli", "settings"], capture_output=True, text=True, check=True
    ).stdout
    assert printed == markdown() == text_of("docs/settings.md"), "renew it: noughts settings > docs/settings.md"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_described(setting):
    assert f"| `{setting.flag}` | `{setting.variable}` |" in text_of("docs/settings.md")
    assert setting.help.endswith(".")


def test_flags_in_the_docs_exist():
    known = {setting.flag for setting in SETTINGS} | {"--lift", "--version", "--help"}
    for page in PAGES:
        if page.parent.name == "deploy":  # other programs have flags too
            continue
        named = set(re.findall(r"(?:noughts [^`\n]*?|`)(--[a-z][a-z-]+)", page.read_text()))
        assert named <= known, page.name


def test_variables_in_the_docs_and_in_deploy_exist():
    known = {setting.variable for setting in SETTINGS}
    deploy = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]
    for page in {*PAGES, *deploy}:
        named = set(re.findall(r"\bNOUGHTS_[A-Z_]+[A-Z]", page.read_text()))
        assert named <= known, page.name


def test_every_metric_is_in_the_table():
    described = {row[0].strip("`"): row[2] for row in rows(section(text_of("docs/running.md"), "### Metrics"))}
    there = {family.name: family.documentation for family in Metrics().registry.collect()}
    assert {name.removesuffix("_total") for name in described} == set(there)


# --- the protocol ---------------------------------------------------------------------------------------------------


def test_every_code_is_in_the_table_of_rejections():
    table = rows(section(PROTOCOL, "## Rejections"))
    assert [row[0].strip("`") for row in table] == list(get_args(Code)), "in the order in which they apply"
    over_http = {code for _, codes in REFUSALS.values() for code in codes} | ON_HTTP_ALONE
    for row in table:
        code = row[0].strip("`")
        expected = "HTTP" if code in ON_HTTP_ALONE else "both" if code in over_http else "socket"
        assert row[1] == expected, code


def test_every_command_is_in_the_table_with_its_fields():
    table = {row[0].strip("`"): row for row in rows(section(PROTOCOL, "## Commands"))}
    assert list(table) == [tag(command) for command in COMMANDS]
    own = set(Command.__struct_fields__)
    for command in COMMANDS:
        fields = set(command.__struct_fields__) - own
        assert fields <= set(words(table[tag(command)][1])), tag(command)


def test_every_event_is_in_the_table():
    table = [row for row in rows(section(PROTOCOL, "## Messages from the server")) if words(row[0])]
    assert {tag(event) for event in get_args(ViewEvent)} <= set(first_words(table))


def test_every_message_is_described():
    told = (
        section(PROTOCOL, "## Messages from the server")
        + section(PROTOCOL, "## Commands")
        + section(PROTOCOL, "## The WebSocket")
    )
    for message in MESSAGES:
        assert f"`{tag(message)}`" in told or f'"type": "{tag(message)}"' in told, tag(message)


def test_every_close_code_is_in_the_table():
    table = rows(section(PROTOCOL, "## Close codes"))
    assert sorted(int(code) for row in table for code in row[0].split(",")) == sorted(CLOSE_CODES)


def test_every_call_is_in_the_table():
    table = {row[0].strip("`"): row[1] for row in rows(section(PROTOCOL, "## HTTP")) if row[0].count(" ") == 1}
    described = {f"{call.method} {call.path}": call.token for call in CALLS}
    assert set(table) == set(described)
    for name, token in described.items():
        assert table[name] == ("in the hello" if name == "GET /ws" else TOKEN_USE[token]), name


# --- links and commands to type -------------------------------------------------------------------------------------


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        path, _, place = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if place:
            headings = re.findall(r"^#+ (.+)$", target.read_text(), re.M)
            assert place in map(anchor, headings), link


def test_every_page_is_reachable_from_the_readme():
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in seen:
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text())
        todo += [(page.parent / link).resolve() for link in links]
    assert {page for page in PAGES if page.parent != ROOT} <= seen


def test_pictures_of_the_readme_are_small():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text_of("README.md"))
    assert [name for name in pictures if name.endswith(".gif")]
    assert sum((ROOT / name).stat().st_size for name in pictures) < 1_000_000


def test_commands_to_type_exist():
    targets = set(re.findall(r"^([a-z][a-z-]*):", text_of("Makefile"), re.M))
    commands = set(re.findall(r'add_parser\("([a-z-]+)"', text_of("server/noughts/app/cli.py")))
    for page in PAGES:
        # Only what is to be typed: after a prompt, in backquotes or at the start of a line of a block.
        typed = re.findall(r"(?:^|`)(make|noughts) ([a-z][a-z-]*)", page.read_text(), re.M)
        for program, word in typed:
            known = targets if program == "make" else commands
            assert word in known, f"{page.name}: {program} {word}"
