"""The words of the page: one word for one thing in its texts, comments, identifiers, styles and file names.

The banned words are the right column of STYLE.md's glossary. Two of them are not tested, because only their meaning tells:
*error* is right for JavaScript's exceptions, and *turn* is the glossary's own word for the mark to move.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

PAGE: Final = Path(__file__).parents[2] / "client_web"
ENGLISH: Final = PAGE / "js" / "texts" / "en.json"
FILES: Final = sorted([ENGLISH, *(path for path in PAGE.rglob("*") if path.suffix in (".js", ".css", ".html"))])

BANNED: Final = {
    "mark": "symbol piece token colour",
    "cell": "square tile field place",
    "position": "grid",
    "line": "row streak combo",
    "variant": "mode",
    "outcome or reason": "result status",
    "game": "match session round",
    "room or lobby": "table channel host",
    "seat": "slot side place",
    "player, spectator or owner": "user viewer host",
    "engine": "ai",
    "level": "difficulty",
    "verdict": "eval score",
    "command, event or message": "action update packet",
    "rejection or fault": "refusal refused refuse",
    "version": "seq",
    "view": "dump payload",
    "policy": "house",
    "presence": "place crowd",
    "deadline or timer": "due",
    "store or relay": "db bus broker",
    "node": "instance worker",
    "endpoint or request": "call",
    "the actor's name": "whoever nobody somebody",
}
"""The glossary: each right word and the words that are not used for it."""

BANNED_PHRASES: Final = {
    "board state": "position",
    "game type": "variant",
    "current player": "turn",
    "state id": "version",
    "give back": "lag or downtime",
}
"""Banned phrases and their right words. Hyphens and underscores count as spaces."""

ALLOWED: Final = {
    r"\brows?\b|\bROWS?\b": "a board and an HTML table have rows of cells; only three marks in a row are a line",
    r"grid-[a-z-]+|display: grid|role: \"grid\"|ARIA grid": "CSS and ARIA call a layout so",
    r"--grid\b": "the colour of the lines between cells",
    r"\bcolours?\b": "the colours of the page; a mark is called X or O",
    r"\.matches\(\"": "whether a selector fits an element",
    r"[sS]tatus(es)?": "the state of a connection, HTTP's number, and the status line above the board",
    r"[tT]okens?|TOKENS?": "the secret of a guest account; a mark is never called so",
    r"[cC]rowd(?=\b|At\b|Message\b)": "the name of the message in the protocol",
    r"\bmode(?=: \"|: \\\"| ===)": "a clock's mode, as the protocol calls it",
    r"\bscore(?=: Score|\.find)|\bScore\b": "the wins in a view, as the protocol calls them",
    r"const match = |!match\b|cache\.match\b|match\[\d\]|\bmatchMedia\b|query\.matches": "regular expressions, caches",
    r"dark\)\"\)\.matches|(coarse|reduce)\)\"\)\.matches": "what the system asks for, or has",
    r"\bpart\.score\b|\{score: number\}": "what minimax gives a position, as the protocol calls it",
    r"\bupdate(?=\(|[ ,`]* ?(is its only|\}))": "the function that gives the state after a message, as the field calls it",
    r"Math\.round|line(cap|join)(: |=')round|\brounded\b": "numbers and strokes are rounded",
    r"\bstrength_?[tT]able\b|\bstrength table\b|h\(\"table\"": "an HTML table",
    r"\b[sS]ervice[ _-]?[wW]orker(Url)?\b": "the browser's name for it",
    r"\bclients\.matchAll\b|\bMessageChannel\b|\buserVisibleOnly\b": "the browser's names",
    r"\bsessionStorage\b": "the browser's name for it",
    r"\{ session: secret\b|\"session(/end)?\"": "what a code of the admin page is exchanged for, in the endpoints' words",
    r"\bround_trip_ms\b": "how long the store takes to answer a node, in the endpoints' words",
    r"\btouch-action\b|\buser-select\b": "CSS properties",
    r"\bNOUGHTS_HOST\b": "the name of a setting",
}
"""Where a banned word means something else: a pattern of the text around it, and the reason."""

OF_TOURNAMENTS: Final = {"crosstable", "host", "match", "mode", "place", "result", "round", "row", "table"}
"""Words that are right in the pages of tournaments: who made one, one or two games of two entrants, and so on."""

NO_NOUNS: Final = {"asked", "told", "found", "made", "known", "heard", "wrong"}
"""Words that name no variable: a noun says what the variable holds."""

NO_MODULES: Final = {"utils", "helpers", "common", "base", "manager", "types"}
"""Words that name no file: they do not say what is in it."""

SUFFIX: Final = {"s", "es", "d", "ed", "ing"}


def banned_words(text: str) -> list[str]:
    """Return every banned word in a text, with the right word."""
    for pattern in ALLOWED:
        text = re.sub(pattern, " ", text)
    right_words = {word: right for right, words in BANNED.items() for word in words.split()}
    findings = []
    for match in re.finditer(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text):
        word = match[0].lower()
        stems = {word} | {word.removesuffix(suffix) for suffix in SUFFIX} | {word.removesuffix("ing") + "e"}
        findings += [f"{word}: write {right_words[stem]}" for stem in stems & right_words.keys()]
    plain = re.sub(r"[\s_-]+", " ", text).lower()
    findings += [f"{phrase}: write {right}" for phrase, right in BANNED_PHRASES.items() if phrase in plain]
    return findings


def identifiers(script: str) -> set[str]:
    """Return the words of JavaScript without its comments and strings."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|`[^`$]*`", " ", script, flags=re.S)
    return set(re.findall(r"\b[A-Za-z_$][\w$]*", code))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_page_uses_the_glossary(path: Path) -> None:
    """Find no banned word in a file of the page, nor in its name."""
    findings = banned_words(path.read_text()) + banned_words(path.stem)
    if "tournament" in path.as_posix().removeprefix(PAGE.as_posix()):
        words = {each + end for each in OF_TOURNAMENTS for end in ("", "s", "es", "ed")}
        findings = [finding for finding in findings if finding.partition(":")[0] not in words]
    assert findings == []
    assert path.stem not in NO_MODULES


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".js"], ids=lambda path: path.name)
def test_variables_of_the_page_are_nouns(path: Path) -> None:
    """Find no participle that stands for a noun."""
    assert identifiers(path.read_text()) & NO_NOUNS == set()
