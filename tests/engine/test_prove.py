"""Proving again: what each variant's proof says, and what it refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from noughts.engine import book, prove
from noughts.engine.book import Book, NotProvedError
from noughts.engine.kernels import START_VALUES
from noughts.engine.prove import Proof, provable
from noughts.engine.verdict import Verdict
from noughts.errors import Rejection
from noughts.rules.variant import VARIANTS


def ticking() -> Callable[[], float]:
    """A clock that is a second later each time."""
    ticks = itertools.count()
    return lambda: float(next(ticks))


def nothing(done: int, total: int) -> None:
    pass


@pytest.mark.parametrize(
    ("key", "positions"),
    [("classic", 5478), ("misere", 5478)],
)
def test_small_boards_are_solved_from_every_reachable_position(key: str, positions: int) -> None:
    seen: list[tuple[int, int]] = []
    proof = prove.prove(VARIANTS[key], ticking(), lambda done, total: seen.append((done, total)))
    assert proof == Proof(key, proof.claim, Verdict("draw", None, "exact"), positions, 1.0, proof.digest)
    assert "every reachable position" in proof.claim
    assert seen[-1] == (positions, positions)
    assert seen == sorted(seen)


def test_vanishing_and_4x4_have_the_values_that_are_stated() -> None:
    for key in ("vanishing", "4x4"):
        proof = prove.prove(VARIANTS[key], ticking(), nothing)
        assert proof.verdict == START_VALUES[key]
        assert proof.positions > 10_000


def test_the_same_proof_has_the_same_hash_and_another_variant_has_another() -> None:
    digests = [prove.prove(VARIANTS[key], ticking(), nothing).digest for key in ("classic", "classic", "misere")]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 64


@pytest.mark.parametrize("key", ["gomoku", "qubic", "ultimate"])
def test_what_is_not_proved_is_refused_and_what_is_gets_named(key: str) -> None:
    with pytest.raises(Rejection) as refused:
        prove.prove(VARIANTS[key], ticking(), nothing)
    assert refused.value.code == "bad_message"
    assert all(name in refused.value.message for name in provable())
    assert key not in provable()


def test_every_variant_with_a_stated_value_or_a_book_can_be_proved() -> None:
    assert set(provable()) == {"classic", "misere", "vanishing", "4x4", "5x5", "four-in-a-row"}


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("classic", "positions found so far"),
        ("vanishing", "positions found so far, X's turns and O's apart"),
        ("four-in-a-row", "positions of the book"),
        ("5x5", "positions of the book"),
    ],
)
def test_progress_says_what_it_counts(key: str, what: str) -> None:
    assert prove.counted(VARIANTS[key]) == what


def test_where_only_the_empty_board_is_solved_there_is_nothing_to_count() -> None:
    seen: list[tuple[int, int]] = []
    prove.prove(VARIANTS["4x4"], ticking(), lambda done, total: seen.append((done, total)))
    assert seen == []


def test_a_book_that_does_not_stand_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = book.load("four-in-a-row")
    lost = {key: value for key, value in whole.entries.items() if key != min(whole.entries)}
    monkeypatch.setattr(book, "load", lambda variant: Book(variant, lost, whole.digest))
    with pytest.raises(NotProvedError):
        prove.prove(VARIANTS["four-in-a-row"], ticking(), nothing)


@pytest.mark.long
@pytest.mark.parametrize(("key", "value"), [("four-in-a-row", "win"), ("5x5", "draw")])
def test_the_books_are_proved_whole(key: str, value: str) -> None:
    proof = prove.prove(VARIANTS[key], ticking(), nothing)
    assert proof.verdict.value == value
    assert proof.verdict.proof == "book"
    assert (proof.positions, proof.digest) == (len(book.load(key).entries), book.load(key).digest)
