"""The book of 5x5: its entries are complete, and every time other ones are proved again."""

from __future__ import annotations

import random

import pytest

from noughts.engine import book
from noughts.engine.five_by_five.attack import AttackSearch
from noughts.engine.five_by_five.openings import MARKS, load_openings, opening_key
from noughts.rules.position import FamilyPosition
from tests.support.budgets import endless
from tests.support.five_by_five import VARIANT
from tools.prove import NotProvedError
from tools.prove.openings import entry_from_moves, openings, prove_book, solve_opening


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def kinds() -> list[list[tuple[int, int, int]]]:
    """Return the positions of the book by their number of marks."""
    return [list(openings(marks)) for marks in range(MARKS + 1)]


def test_the_book_holds_every_position_with_up_to_four_marks(kinds: list[list[tuple[int, int, int]]]) -> None:
    assert book.file_of("5x5").stat().st_size <= 150_000
    assert set(load_openings()) == {key for positions in kinds for key, _, _ in positions}


@pytest.mark.search
def test_random_entries_are_proved_again(kinds: list[list[tuple[int, int, int]]]) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    entries = load_openings()
    search = AttackSearch()
    for key, x, o in rng.sample(kinds[MARKS], 25):
        assert solve_opening(search, x, o, endless()) == entries[key], (seed, x, o)


def test_every_entry_with_fewer_marks_follows_from_those_with_one_more(
    kinds: list[list[tuple[int, int, int]]],
) -> None:
    entries = load_openings()
    for marks in range(MARKS):
        for key, x, o in kinds[marks]:
            position = FamilyPosition(VARIANT, x, o, marks)
            after = [position.play(cell) for cell in position.legal()]
            assert entries[key] == entry_from_moves([entries[opening_key(reply.x, reply.o)] for reply in after])


@pytest.mark.search
def test_a_proof_of_the_book_shows_its_progress_and_finds_a_wrong_entry(
    kinds: list[list[tuple[int, int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.prove.openings.openings", kinds.__getitem__)
    first, second, *_ = (key for key, _, _ in kinds[MARKS])
    entries = load_openings()
    calls: list[tuple[int, int]] = []
    with pytest.raises(NotProvedError, match=str(second)):
        prove_book({**entries, second: entries[second] + 2}, lambda done, total: calls.append((done, total)))
    assert calls == [(1, len(entries))]
    with pytest.raises(NotProvedError, match=str(first)):
        prove_book({key: value for key, value in entries.items() if key != first}, no_progress)
