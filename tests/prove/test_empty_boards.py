"""Proofs of the empty boards: their claims, their hashes, and the variants that are rejected."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from noughts.engine import book
from noughts.engine.book import Book
from noughts.engine.four_in_a_row.early import EarlyScores, EarlyTable, EarlyValues
from noughts.engine.negamax import NegamaxKernel
from noughts.engine.solvable import START_VALUES
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS
from tools.early_layers import even_layers
from tools.prove import NotProvedError, early_positions, openings, qubic, strategy
from tools.prove.empty_boards import SAMPLE, VALUES_PER_SCORE, Proof, progress_unit, provable, prove


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


def test_the_same_proof_has_the_same_hash_and_another_has_another() -> None:
    digests = [prove(VARIANTS[key], ticking_clock(), no_progress).digest for key in ("classic", "classic", "misere")]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 64


@pytest.mark.parametrize("key", ["gomoku", "ultimate"])
def test_other_variants_are_rejected_with_the_names_of_the_provable(key: str) -> None:
    with pytest.raises(Rejection) as rejected:
        prove(VARIANTS[key], ticking_clock(), no_progress)
    assert rejected.value.code == "bad_message"
    assert all(name in rejected.value.message for name in provable())
    assert key not in provable()


def test_every_variant_with_a_stated_value_or_a_book_can_be_proved() -> None:
    assert set(provable()) == {"classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row", "qubic"}


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("classic", "positions found so far"),
        ("vanishing", "positions found so far, X's turns and O's apart"),
        ("four-in-a-row", "positions of the book and the tables"),
        ("5x5", "positions of the book"),
        ("qubic", "positions of the book"),
    ],
)
def test_the_unit_of_the_progress(key: str, unit: str) -> None:
    assert progress_unit(VARIANTS[key]) == unit


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


@pytest.mark.parametrize(("plies", "value"), [(0, "draw"), (7, "win"), (8, "loss")])
def test_the_verdict_of_5x5_is_that_of_its_book(plies: int, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof of the book itself is left out: it takes two minutes, and a long test runs it."""
    monkeypatch.setattr(book, "load", lambda variant, file: Book(variant, {0: plies}, "hash"))
    monkeypatch.setattr(openings, "prove_book", lambda entries, progress: None)
    proof = prove(VARIANTS["5x5"], ticking_clock(), no_progress)
    assert proof.verdict == Verdict(value, plies or None, "book")  # type: ignore[arg-type]
    assert (proof.positions, proof.digest) == (1, "hash")


@pytest.mark.parametrize(
    ("key", "proofs", "tables_proved", "plies"),
    [("four-in-a-row", strategy, 1_200, 41), ("qubic", qubic, 0, None)],
)
def test_a_claim_that_x_wins_rests_on_its_book(
    key: str, proofs: ModuleType, tables_proved: int, plies: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof of the book itself is left out: it takes minutes, and a long test runs it."""
    calls: list[object] = []
    monkeypatch.setattr(proofs, "prove_book", lambda entries, progress: calls.append(entries))
    monkeypatch.setattr(early_positions, "prove_tables", lambda *arguments: tables_proved)
    proof = prove(VARIANTS[key], ticking_clock(), no_progress)
    shipped = shipped_book(key)
    assert calls == [shipped.entries]
    assert proof.verdict == START_VALUES[key] == Verdict("win", plies, "book")
    assert proof.claim.startswith("X wins from the empty")
    assert proof.positions == len(shipped.entries) + tables_proved
    assert (proof.digest == shipped.digest) is (key == "qubic")


def test_a_sample_of_early_positions_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[object, ...]] = []

    def prove_tables(
        values: EarlyValues, scores: EarlyScores, entries: object, samples: dict[EarlyTable, int], *others: object
    ) -> int:
        calls.append((entries, samples[values], samples[scores], others[0]))
        return 0

    monkeypatch.setattr(strategy, "prove_book", lambda entries, progress: None)
    monkeypatch.setattr(early_positions, "prove_tables", prove_tables)
    rng = random.Random(7)
    proof = prove(VARIANTS["four-in-a-row"], ticking_clock(), no_progress, 250, rng)
    assert calls == [(strategy.load().entries, 250, 62, rng)]
    assert "250 random positions with twelve marks" in proof.claim
    assert "62 random positions with eight marks" in proof.claim
    assert proof.claim.endswith("X wins in 41.")
    other = prove(VARIANTS["four-in-a-row"], ticking_clock(), no_progress)
    assert calls[1][1] == SAMPLE
    assert other.digest == proof.digest


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
