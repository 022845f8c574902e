"""The proof of the table of early scores refutes every score that is not right."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from noughts.engine.book import NotProvedError
from noughts.engine.four_in_a_row import early, early_scores, early_scores_proof
from noughts.engine.four_in_a_row.board import Board, board_of_sum
from noughts.engine.four_in_a_row.early import undecided_keys
from noughts.engine.four_in_a_row.early_scores import MARKS, EarlyScores
from noughts.engine.four_in_a_row.early_scores_proof import prove_agrees, prove_by_search, prove_follows, prove_scores
from noughts.engine.four_in_a_row.score_search import ScoreSearch

SOON_WON: tuple[int, ...] = (2688550273,)
"""Sums of positions with eight marks whose scores a few nodes prove."""


class OtherScores(EarlyScores):
    """The table with other scores for some positions, by their keys."""

    def __init__(self, others: Mapping[int, int]) -> None:
        super().__init__(early_scores.load_table())
        self._others = others

    def score(self, board: Board) -> int | None:
        return self._others.get(board.key, super().score(board))


def higher_score(key: int) -> dict[int, int]:
    """Return a position with a score that is higher by one than that of the table."""
    score = early_scores.load().score(board_of_sum(key))
    assert score is not None
    return {key: score + 1}


def no_progress(done: int, total: int) -> None:
    """Ignore the progress."""


@pytest.fixture(scope="module")
def layers() -> list[list[int]]:
    """Return some undecided positions with each even number of marks; others between, which the proof leaves out."""
    rng = random.Random(1)
    layers = [rng.sample(keys, min(len(keys), 30)) for keys in undecided_keys(MARKS - 1)]
    return [*layers, list(SOON_WON)]


@pytest.fixture
def some_positions(layers: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the proof go through few positions, and search those that little search decides."""
    monkeypatch.setattr(early_scores_proof, "undecided_keys", lambda marks: layers)


@pytest.mark.long
@pytest.mark.search
def test_the_table_is_proved() -> None:
    positions = prove_scores(early_scores.load(), early.load(), 3, random.Random(1), no_progress)
    assert positions == 3 + sum(len(keys) for marks, keys in enumerate(undecided_keys(MARKS - 2)) if marks % 2 == 0)


@pytest.mark.usefixtures("some_positions")
def test_a_part_of_the_table_is_proved(layers: list[list[int]]) -> None:
    """By every step of the proof of the whole table."""
    calls: list[tuple[int, int]] = []
    positions = prove_scores(
        early_scores.load(), early.load(), 9, random.Random(1), lambda done, all_: calls.append((done, all_))
    )
    assert positions == sum(map(len, layers[::2]))
    assert calls == [(done, positions) for done in range(positions + 1)]


def test_a_score_that_does_not_follow_is_refuted(layers: list[list[int]]) -> None:
    for keys in layers[:MARKS:2]:
        key = random.Random(len(keys)).choice(keys)
        prove_follows(early_scores.load(), board_of_sum(key))
        with pytest.raises(NotProvedError, match="than for the moves from it"):
            prove_follows(OtherScores(higher_score(key)), board_of_sum(key))


def test_a_score_that_the_value_refutes_is_no_proof() -> None:
    key = SOON_WON[0]
    values = early.load()
    prove_agrees(early_scores.load(), values, board_of_sum(key))
    for other in (0, -3):
        with pytest.raises(NotProvedError, match="its value refutes"):
            prove_agrees(OtherScores({key: other}), values, board_of_sum(key))


def test_a_score_that_the_search_refutes_is_no_proof() -> None:
    search = ScoreSearch()
    search.allow(1 << 40, None)
    for key in SOON_WON:
        board = board_of_sum(key)
        prove_by_search(early_scores.load(), board, search)
        score = higher_score(key)[key]
        for other in (score, score - 2):
            with pytest.raises(NotProvedError, match="search refutes"):
                prove_by_search(OtherScores({key: other}), board, search)


@pytest.mark.usefixtures("some_positions")
def test_the_whole_proof_looks_at_every_part(layers: list[list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that follow from the moves, the values, and the sample that is searched."""

    def refuted_as(reason: str, others: Mapping[int, int]) -> None:
        with pytest.raises(NotProvedError, match=reason):
            prove_scores(OtherScores(others), early.load(), 1, random.Random(1), no_progress)

    refuted_as("than for the moves from it", higher_score(layers[6][0]))
    refuted_as("its value refutes", {SOON_WON[0]: 0})
    refuted_as("search refutes", higher_score(SOON_WON[0]))
