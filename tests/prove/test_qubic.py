"""The proof of Qubic: every time other entries are proved again, and a wrong book is not proved."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from noughts.engine import book
from noughts.engine.threats.qubic_book import Entry, QubicBook, walk
from tests.support.threats import cases
from tools.prove import NotProvedError, qubic
from tools.prove.qubic import (
    LINES,
    bits,
    completing,
    prove_book,
    prove_entry,
    win_by_fours,
    wins,
)

BOOK = book.load("qubic")
SHIPPED = QubicBook(BOOK.entries)
ENTRIES = list(walk(BOOK.entries))


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


def test_it_shares_no_code_with_the_searches() -> None:
    tree = ast.parse(Path(qubic.__file__).read_text())
    imports = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imports == {
        "__future__",
        "collections.abc",
        "typing",
        "tools.prove",
        "noughts.engine.threats.qubic_book",
        "noughts.rules.variant",
    }


@pytest.mark.search
def test_random_entries_are_proved_again() -> None:
    rng = random.Random(random.randrange(1 << 30))
    for entry in [ENTRIES[0], *rng.sample(ENTRIES, 60)]:
        assert prove_entry(SHIPPED, entry) <= 63


def test_a_book_with_a_gap_or_another_move_is_not_proved() -> None:
    """The last entry before others has replies that need them, and no win by fours replaces those."""
    rng = random.Random(2)
    parents = sorted({before - 1 for key in BOOK.entries if (before := key // 64)})
    for number in rng.sample(parents, 5):
        entry = ENTRIES[number]
        alone = QubicBook({0: 0})
        with pytest.raises(NotProvedError, match="no entry and no win by fours"):
            prove_entry(alone, entry)
        free = [cell for cell in range(64) if not (entry.x | entry.o) >> cell & 1 and cell != entry.cell]
        failures = 0
        for cell in rng.sample(free, 3):
            try:
                prove_entry(SHIPPED, entry._replace(cell=cell))
            except NotProvedError:
                failures += 1
        assert failures


def test_a_move_that_lets_o_complete_a_line_is_not_proved() -> None:
    three = LINES[0] & (LINES[0] - 1)
    with pytest.raises(NotProvedError, match="O completes a line"):
        prove_entry(SHIPPED, Entry(1 << 63 | 1 << 40 | 1 << 30, three, 20))


def test_a_book_without_the_empty_cube_or_out_of_order_is_not_proved() -> None:
    with pytest.raises(NotProvedError, match="the empty cube is not"):
        prove_book({}, no_progress)
    with pytest.raises(NotProvedError, match="not a tree"):
        prove_book({0: 0, 5 * 64: 1}, no_progress)
    with pytest.raises(NotProvedError, match="no entry"):
        prove_book({0: 0}, no_progress)


def test_a_whole_small_book_is_proved_with_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole book itself takes minutes, so here each entry counts as proved with one reply."""
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(qubic, "prove_entry", lambda shipped, entry: 1)
    assert prove_book(BOOK.entries, lambda done, total: calls.append((done, total))) == len(BOOK.entries)
    assert calls[0] == (0, len(BOOK.entries))
    assert calls[-1] == (len(BOOK.entries), len(BOOK.entries))


@pytest.mark.parametrize("plies", [3, 5, 7, 9, 11])
def test_wins_by_fours_are_those_of_the_corpus(plies: int) -> None:
    """The corpus comes from a slow search of its own."""
    for case in [case for case in cases("win", "qubic") if case.plies == plies]:
        position = case.position
        own, other = (position.o, position.x) if position.turn == "O" else (position.x, position.o)
        latest = next((bit for bit in bits(other) if completing(other, own, bit)), bits(other)[0])
        attack = win_by_fours(own, other, latest)
        assert attack is not None
        assert 2 * len(attack) + 1 == plies
        assert wins(own, other, latest, attack)
        for cut in range(len(attack)):
            assert not wins(own, other, latest, attack[:cut])
