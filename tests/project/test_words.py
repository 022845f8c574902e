"""Check words in names and prose: CONTRIBUTING.md has the glossary and says how we write."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.project.reading import text_of, tracked

BANNED = set(
    "symbol tile streak combo viewer difficulty ai packet refusal seq util utils helper helpers manager".split()
)
"""Words that are part of no name of code. The glossary has another word, or the word says nothing."""
PARTICIPLES = {"asked", "found", "heard", "known", "made", "told", "wrong"}
"""Words that name no value. A variable is a noun: `headers`, `match`, `error`."""
PHRASES = ("anew", "at hand", "of which the", "whoever", "makes way")
"""Phrases that make a reader go back. Name the thing, and use the field's verb."""
MAX_NAME = 69
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

SELVES = {"tests/project/test_words.py", "tests/project/test_page_words.py"}
FILES = [name for name in tracked() if name not in SELVES]
PYTHON = [name for name in FILES if name.startswith(("server/", "tests/", "bench/", "tools/")) and name.endswith(".py")]
TESTS = [name for name in PYTHON if name.startswith(("tests/", "bench/"))]
PROSE = [name for name in FILES if name.endswith((".py", ".md", ".lua", ".js")) and "CHANGELOG" not in name]


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse(text_of(path))


def names_given(tree: ast.AST) -> Iterator[str]:
    """Yield the names of arguments, variables, attributes, functions and classes. Names of tests are sentences."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield from () if name.startswith("test_") else (name,)


@cache
def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def banned_in(tree: ast.AST) -> list[str]:
    return [name for name in names_given(tree) if words_of(name) & BANNED or name.strip("_") in PARTICIPLES]


def test_names_use_the_glossary() -> None:
    assert [f"{path}: {name}" for path in PYTHON for name in banned_in(tree_of(path))] == []


def test_prose_avoids_vague_phrases() -> None:
    pattern = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)
    lines = [(name, number, line) for name in PROSE for number, line in enumerate(text_of(name).splitlines(), 1)]
    assert [f"{name}:{number}: {line.strip()}" for name, number, line in lines if pattern.search(line)] == []


def test_names_of_tests_are_short() -> None:
    """The sentence belongs into the docstring."""
    functions = (node for path in TESTS for node in ast.walk(tree_of(path)) if isinstance(node, FUNCTION))
    assert [node.name for node in functions if node.name.startswith("test_") and len(node.name) > MAX_NAME] == []


def test_banned_names_are_recognised() -> None:
    tree = ast.parse("class AiPlayer:\n def f(self, max_tile):\n  x.symbol, found, aim = 1")
    assert sorted(banned_in(tree)) == ["AiPlayer", "found", "max_tile", "symbol"]
