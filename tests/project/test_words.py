"""Check the glossary: one word for one thing, in the names, comments, docstrings, texts and pages of the project.

The findings of a file are listed together, each with its line and the word to write instead.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Set
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project.reading import text_of, tracked

BANNED = {
    # the game
    "symbol": "mark",
    "piece": "mark",
    "token": "mark",
    "colour": "mark",
    "color": "mark",
    "square": "cell",
    "tile": "cell",
    "field": "cell",
    "place": "cell, seat or presence",
    "board state": "position",
    "grid": "position",
    "turn": "ply, for the number of moves",
    "current player": "turn",
    "row": "line",
    "streak": "line",
    "combo": "line",
    "mode": "variant",
    "game type": "variant",
    "result": "outcome",
    "status": "outcome",
    "match": "game",
    "session": "game",
    "round": "game",
    "eval": "verdict",
    "score": "verdict",
    # the room and the people in it
    "table": "room",
    "channel": "room",
    "host": "room, or player",
    "slot": "seat",
    "side": "seat",
    "user": "player",
    "viewer": "spectator",
    "crowds": "presence",
    "house": "policy",
    "surroundings": "policy, or downtime",
    "opening": "creation",
    "finding": "index entry",
    "due": "deadline, or timer",
    "give back": "lag, or downtime",
    # the engine
    "ai": "engine",
    "bot": "engine",
    "difficulty": "level",
    "thinking": "search",
    "glance": "one-ply search",
    "slip": "random move",
    # messages and storage
    "action": "command",
    "update": "event",
    "packet": "message",
    "error": "rejection, or fault",
    "refusal": "rejection",
    "refused": "rejected",
    "answered": "idempotency keys",
    "seq": "version",
    "state id": "version",
    "dump": "view",
    "payload": "view, or message",
    "screens": "hub",
    "db": "store",
    "bus": "relay",
    "broker": "relay",
    "instance": "node",
    "worker": "node",
    "call": "endpoint",
    # words that say nothing
    "util": "the one thing in it",
    "utils": "the one thing in it",
    "helper": "what it does",
    "helpers": "what they do",
    "manager": "what it does",
}
"""Word or phrase -> what to say instead."""

OTHER_SENSE = {
    "token": "a bearer token",
    "field": "a field of a struct or a message",
    "turn": "the mark to move, on the wire too",
    "result": "what a function or a search returns",
    "row": "a row of cells, which with a column names a cell; a row of a table in a database or a document",
    "mode": "the mode of a clock, on the wire",
    "status": "an HTTP status; the exit status of a process; the status line of the page",
    "match": "what a regular expression matched; many games between two programs",
    "score": "games won, on the wire; the number that a search compares moves by",
    "table": "a transposition table; a table of rows",
    "side": "the side to move",
    "bot": "a player run by a program, on the wire",
    "error": "an exception",
    "worker": "a process that searches",
}
"""Words that are not checked, because code cannot tell this sense from the banned one -> the sense that is meant."""

NAMES_ONLY = {
    "action": "a step of a user interface or of a build",
    "answered": "commands are answered",
    "call": "functions are called",
    "channel": "a part of an AsyncAPI document",
    "color": "style sheets are written so",
    "colour": "the page has colours",
    "crowds": "several messages of the type crowd",
    "due": "an English adjective",
    "dump": "what json and SQLite call writing",
    "finding": "an English verb",
    "give back": "to return",
    "grid": "the ARIA role of the board",
    "host": "a machine's name and an HTTP header",
    "instance": "an object of a class",
    "opening": "the first moves of a game",
    "piece": "one of several parts",
    "place": "somewhere, or to put",
    "round": "an English adjective",
    "screens": "what people look at",
    "session": "a scope of pytest",
    "slip": "an English verb",
    "square": "a geometric shape, which has symmetries",
    "thinking": "what the page says of the engine",
    "update": "an SQL statement",
}
"""Words that are banned only in names of code -> their sense in prose."""

EXEMPT_IN_NAMES = OTHER_SENSE.keys()
EXEMPT_IN_PROSE = OTHER_SENSE.keys() | NAMES_ONLY.keys()

ALLOWED = (
    ("server/*", "host", r"^_?hosts?$|^hostname$", "the name or address of a machine"),
    ("tests/[!b]*", "host", r"^host$", "the name or address of a machine"),
    ("*", "session", r"^sessions?$", "aiohttp's client session"),
    ("*", "payload", r"^payload$|(?i:\b(ping|pong|frame)\b)", "what a WebSocket frame carries (RFC 6455)"),
    ("*asyncapi.py", "payload", r'"payload"|message\.payload', "AsyncAPI's word"),
    ("tests/protocol/test_examples.py", "payload", r'"payload"', "AsyncAPI's word"),
    ("*asyncapi.py", "channel", r"", "AsyncAPI's word"),
    ("*", "call", r"^_?call$", "the verb: to call an endpoint or a function"),
    ("*/engine/*", "slot", r"", "a slot of a hash table"),
    ("*/engine/*", "opening", r"", "the first moves of a game"),
    ("tests/bench/*", "round", r"", "a round of measurements"),
    ("*", "round", r"(?i)^round_and_round$", "moves that repeat"),
    (
        "*",
        "user",
        r"User-[Aa]gent|user_version|user\.(name|email)|\|Users\|",
        "a name given by HTTP, SQLite, git or macOS",
    ),
    ("*", "db", r"\.db\b|(?i:2001:db8)", "the suffix of a file; an IPv6 address for examples"),
    ("*store*", "db", r"^_?db$|\bdb\.", "an open connection to an SQLite file"),
    ("tests/support/brittle.py", "db", r"^_?db$|\bdb\.", "an open connection to an SQLite file"),
    ("tests/bench/peer_servers.py", "update", r"(?i)update", "a message of boardgame.io"),
    ("tests/bench/peer_servers.py", "payload", r"payload", "a field of boardgame.io"),
    ("*", "answered", r"^[a-z_]+$", "what was answered, such as the ids of commands"),
    ("*", "symbol", r"punctuation and symbols", "a class of characters in Unicode"),
    ("*", "refused", r"(?i)connection refused|ConnectionRefused", "an error of the operating system"),
    ("*ultimate*", "place", r"", "where a cell lies within its small board, from 0 to 8"),
    ("*/engine/threats/*", "place", r"", "where a cell lies on a line"),
    ("*store/sqlite/changes.py", "update", r"(?i)^_update", "the SQL statement"),
    ("server/noughts/app/delivery/*", "payload", r"(?i)payload", "what a WebSocket frame carries (RFC 6455)"),
    ("tests/app/delivery/*", "payload", r"payload", "what a WebSocket frame carries (RFC 6455)"),
    ("tests/bench/websocket.py", "payload", r"", "what a WebSocket frame carries (RFC 6455)"),
    ("tests/bench/*", "host", r"^host$", "the name or address of a machine"),
    ("tests/bench/*", "session", r"^_session$", "aiohttp's client session"),
    ("tests/*", "call", r"^calls$", "calls of a function"),
    ("*", "round", r"round_trip", "the time to a server and back"),
    ("*", "due", r"claim_due", "to claim the rooms that are due, an adjective"),
    ("*store/redis/*", "channel", r"(?i)channel", "what a client of Redis subscribes to"),
    ("tests/support/redis_*", "channel", r"^channel$", "what a client of Redis subscribes to"),
    ("*store/redis/*", "user", r"user", "an account of Redis"),
    ("*deploy/*", "user", r"(?i)user", "an account of a machine or of Redis"),
    ("*store/redis/*", "slot", r"(?i)slot", "a hash slot of a cluster"),
    ("*store/redis/*", "db", r'^"db"$', "the argument of the Redis client"),
    ("*store/redis/*", "eval", r'^"EVAL"$', "the command of Redis"),
    ("tests/nodes/*", "eval", r'^"EVAL"$', "the command of Redis"),
    ("tests/store/test_address.py", "db", r"//|^.db.$|@db", "the name of a machine"),
    (
        "tests/support/firefox.py",
        "user",
        r"user_pref|[Uu]serContext|user\.js",
        "Firefox's word for a preference, and WebDriver's for a profile",
    ),
    ("tests/support/firefox.py", "action", r"[Aa]ctions", "WebDriver's word for what a hand does"),
    ("*/bots/*", "opening", r"", "the first moves of a game"),
)
"""(files, word, pattern of the name or the line, reason): where a banned word has another sense."""

PARTICIPLES = {"asked", "found", "heard", "known", "made", "told", "wrong"}
"""Words that name no value. A variable is a noun: `headers`, `match`, `error`."""

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\w\s]")
"""A word of a name or a sentence, or a punctuation mark."""
VAGUE_MODULES = {"base", "common", "helpers", "manager", "types", "utils"}
SELVES = {"tests/project/test_words.py", "tests/project/test_page_words.py"}
"""The files that list the banned words."""

FILES = [name for name in tracked() if name not in SELVES]
PYTHON = [name for name in FILES if name.startswith(("server/", "tests/")) and name.endswith(".py")]
SCRIPTS = [name for name in FILES if name.startswith("client_web/") and name.endswith((".js", ".html"))]
PAGES = [name for name in FILES if name.endswith(".md")]


class Text(NamedTuple):
    """A name of code, or a line of prose."""

    line: int
    text: str


class Names(NamedTuple):
    """The names that a module gives to values (arguments, variables, attributes), and to functions and classes."""

    values: tuple[Text, ...]
    definitions: tuple[Text, ...]


# --- reading --------------------------------------------------------------------------------------------------------


def words_of(text: str) -> str:
    """Return the words and the punctuation of a name or a sentence in small letters, with a space around each."""
    return f" {' '.join(WORD.findall(text)).lower()} "


def plain(text: str) -> str:
    """Return prose without what stands in backquotes, without URLs, and with hyphens as spaces."""
    return re.sub(r"`+[^`]*`+|https?://\S+", " ", text).replace("-", " ")


def names(source: str) -> Names:
    """Return the names that a module gives."""
    values, definitions = [], []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.arg():
                values.append(Text(node.lineno, node.arg))
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                values.append(Text(node.lineno, name))
            case ast.ExceptHandler(name=str(name)):
                values.append(Text(node.lineno, name))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                definitions.append(Text(node.lineno, name))
    return Names(tuple(values), tuple(definitions))


@cache
def names_in(path: str) -> Names:
    return names(text_of(path))


def prose(source: str) -> Iterator[Text]:
    """Yield the lines of the comments, docstrings and texts of a module."""
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.COMMENT)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            for offset, line in enumerate(token.string.splitlines()):
                yield Text(token.start[0] + offset, line)


def page_lines(source: str) -> Iterator[Text]:
    """Yield the lines of a Markdown page outside its fenced blocks."""
    fenced = False
    for number, line in enumerate(source.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced:
            yield Text(number, line)


# --- checking -------------------------------------------------------------------------------------------------------


def allowed(path: str, word: str, text: str) -> bool:
    """Return whether a word has another sense in this name or line of this file."""
    return any(
        word == entry and fnmatch(path, files) and re.search(pattern, text) for files, entry, pattern, _ in ALLOWED
    )


def banned_in(path: str, texts: Iterable[Text], exempt: Set[str]) -> list[str]:
    """Return a finding for each banned word in names or lines of a file, except for the exempt words."""
    banned = re.compile(rf" ({'|'.join(map(re.escape, sorted(BANNED.keys() - exempt)))})s?(?= )")
    return [
        f"{path}:{line}: {word!r} in {text.strip()[:90]!r}: write {BANNED[word]}"
        for line, text in texts
        for word in banned.findall(words_of(plain(text)))
        if not allowed(path, word, text)
    ]


def test_names_use_the_glossary() -> None:
    """A module's name counts. A test's name is prose, and names with two underscores at both ends are Python's."""
    findings: list[str] = []
    for path in PYTHON:
        texts = [text for part in names_in(path) for text in part if not text.text.startswith(("test_", "__"))]
        findings += banned_in(path, [Text(0, f"module {Path(path).stem}"), *texts], EXEMPT_IN_NAMES)
    assert not findings, "\n".join(findings)


def test_prose_in_code_uses_the_glossary() -> None:
    findings: list[str] = []
    for path in PYTHON:
        sentences = [text for text in names_in(path).definitions if text.text.startswith("test_")]
        findings += banned_in(path, [*sentences, *prose(text_of(path))], EXEMPT_IN_PROSE)
    assert not findings, "\n".join(findings)


def test_the_web_page_uses_the_glossary() -> None:
    """Read every line whole, because most words on the page are texts for people."""
    findings: list[str] = []
    for path in SCRIPTS:
        lines = [Text(number, line) for number, line in enumerate(text_of(path).splitlines(), 1)]
        findings += banned_in(path, lines, EXEMPT_IN_PROSE)
    assert not findings, "\n".join(findings)


def test_pages_use_the_glossary() -> None:
    findings = [finding for path in PAGES for finding in banned_in(path, page_lines(text_of(path)), EXEMPT_IN_PROSE)]
    assert not findings, "\n".join(findings)


def test_values_are_named_with_nouns() -> None:
    findings = [
        f"{path}:{line}: {name}"
        for path in PYTHON
        for line, name in names_in(path).values
        if name.strip("_") in PARTICIPLES
    ]
    assert not findings, "\n".join(findings)


def test_modules_are_named_for_one_thing() -> None:
    assert [path for path in PYTHON if Path(path).stem in VAGUE_MODULES] == []


# --- the checks themselves ------------------------------------------------------------------------------------------


def test_every_exception_is_about_a_banned_word() -> None:
    exceptions = [*OTHER_SENSE, *NAMES_ONLY, *(word for _, word, _, _ in ALLOWED)]
    assert set(exceptions) <= set(BANNED)
    assert not OTHER_SENSE.keys() & NAMES_ONLY.keys()


@pytest.mark.parametrize("name", ["user", "max_users", "UserName", "_board_state", "AI", "AiPlayer", "give_back_ms"])
def test_banned_names_are_recognised(name: str) -> None:
    assert banned_in("server/noughts/x.py", [Text(1, name)], set())


@pytest.mark.parametrize("name", ["aim", "username", "_main", "symbolic", "bushel"])
def test_other_names_pass(name: str) -> None:
    assert not banned_in("server/noughts/x.py", [Text(1, name)], set())


@pytest.mark.parametrize("line", ["# Every user moves.", '"""The AI\'s level."""', "use max_users"])
def test_banned_prose_is_recognised(line: str) -> None:
    assert banned_in("server/noughts/x.py", [Text(1, line)], set())


@pytest.mark.parametrize("line", ["see `user`", "a User-Agent header", "a ping's payload", "https://example.org/user"])
def test_other_prose_passes(line: str) -> None:
    assert not banned_in("server/noughts/x.py", [Text(1, line)], set())


def test_every_way_to_name_a_value_is_read() -> None:
    source = (
        "def f(a, *b):\n c = self.d = 0\n for e in x: pass\n with x as g: pass\n"
        " if h := x: pass\n try: pass\n except E as i: pass\n [j for j in x]\n"
    )
    assert {text for part in names(source) for _, text in part} == set("fabcdeghij")
