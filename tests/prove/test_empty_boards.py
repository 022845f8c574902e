"""Proofs of the empty boards: their claims, their hashes, and the variants that are rejected."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from noughts.engine import book
from noughts.engine.book import Book
from noughts.engine.four_in_a_row.early import EarlyScores, EarlyValues
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import START_VALUES
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.variant import VARIANTS
from tools.early_layers import even_layers
from tools.prove import NotProvedError, strategy
from tools.prove.empty_boards import SAMPLE, VALUES_PER_SCORE, Proof, prove


def ticking_clock() -> Callable[[], float]:
    """Return a clock that advances by a second at each reading."""
    ticks = itertools.count()
    return lambda: float(next(ticks))


def shipped_book(key: str) -> Book:
    """Return the book that a proof of this variant reads."""
    return strategy.load() if key == "four-in-a-row" else book.load(key)


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.mark.parametrize("key", ["classic", "misere"])
def test_small_boards_are_solved_from_every_reachable_position(key: str) -> None:
    calls: list[tuple[int, int]] = []
    proof = prove(VARIANTS[key], ticking_clock(), lambda done, total: calls.append((done, total)))
    assert proof == Proof(key, proof.claim, Verdict("draw", None, "exact"), 5478, 1.0, proof.digest)
    assert "every reachable position" in proof.claim
    assert calls[-1] == (5478, 5478)
    assert calls == sorted(calls)


@pytest.mark.search
def test_vanishing_and_4x4_have_the_values_that_are_stated() -> None:
    for key, words in (("vanishing", "every reachable position"), ("4x4", "the empty board")):
        proof = prove(VARIANTS[key], ticking_clock(), no_progress)
        assert proof.verdict == START_VALUES[key]
        assert proof.positions > 10_000
        assert words in proof.claim


def test_a_game_with_vanishing_marks_is_solved_whole() -> None:
    """With two marks kept there is no line of three, so the game never ends."""
    variant = replace(VARIANTS["vanishing"], marks_kept=2)
    calls: list[tuple[int, int]] = []
    proof = prove(variant, ticking_clock(), lambda done, total: calls.append((done, total)))
    positions = 1 + 9 + 72 + 504 + 3_024
    assert proof == Proof("vanishing", proof.claim, Verdict("draw", None, "exact"), positions, 1.0, proof.digest)
    assert "every reachable position" in proof.claim
    assert calls == sorted(calls)


def test_an_unsolved_position_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NegamaxKernel, "analyse", lambda kernel, position, budget: Analysis(UNKNOWN, ()))
    with pytest.raises(NotProvedError, match="not solved"):
        prove(VARIANTS["classic"], ticking_clock(), no_progress)


def test_a_book_with_a_gap_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = strategy.load()
    gap = {key: value for key, value in whole.entries.items() if key != min(whole.entries)}
    monkeypatch.setattr(book, "load", lambda variant, file: Book(variant, gap, whole.digest))
    with pytest.raises(NotProvedError):
        prove(VARIANTS["four-in-a-row"], ticking_clock(), no_progress)


@pytest.mark.parametrize("content", [b"", b"noughts book 1\n", b"noughts values 1\n"])
@pytest.mark.parametrize("name", ["5x5", "four-in-a-row", "qubic", EarlyValues.name, EarlyScores.name])
def test_a_damaged_book_is_no_proof(name: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "prove_book", lambda entries, progress: None)
    file, shipped = tmp_path / "a.book", book.file_of
    monkeypatch.setattr(book, "file_of", lambda other: file if other == name else shipped(other))
    if name == "four-in-a-row":
        monkeypatch.setattr(strategy, "FILE", file)
    variant = VARIANTS.get(name, VARIANTS["four-in-a-row"])
    with pytest.raises(NotProvedError, match=r"a\.book: .*No such file.*make books"):
        prove(variant, ticking_clock(), no_progress)
    file.write_bytes(content)
    with pytest.raises(NotProvedError, match=r"a\.book: .*make books"):
        prove(variant, ticking_clock(), no_progress)


@pytest.mark.long
@pytest.mark.parametrize(("key", "value"), [("four-in-a-row", "win"), ("5x5", "draw"), ("qubic", "win")])
def test_the_books_are_proved_whole(key: str, value: str) -> None:
    proof = prove(VARIANTS[key], ticking_clock(), no_progress)
    assert proof.verdict.value == value
    assert proof.verdict.proof == "book"
    if key == "four-in-a-row":
        values = SAMPLE + sum(map(len, even_layers(EarlyValues.marks - 2)))
        scores = SAMPLE // VALUES_PER_SCORE + sum(map(len, even_layers(EarlyScores.marks - 2)))
        positions = values + scores
        assert proof.positions == len(shipped_book(key).entries) + positions
    else:
        assert (proof.positions, proof.digest) == (len(shipped_book(key).entries), shipped_book(key).digest)


def test_a_proof_loads_no_compiled_program() -> None:
    """What one program found is checked by another."""
    names = "any('compiled' in name or 'wasmtime' in name for name in sys.modules)"
    code = f"import sys, tools.prove.empty_boards; print({names})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "False\n"
