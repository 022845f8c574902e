"""Qubic: the book gives verdicts to both sides, and X wins every game."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from noughts.engine import book
from noughts.engine.one_ply import one_ply_move
from noughts.engine.threats.kernel import ThreatKernel
from noughts.engine.threats.lines import board_of
from noughts.engine.threats.qubic import QubicKernel
from noughts.engine.threats.qubic_book import Entry, QubicBook, symmetries, walk
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import Game, new_game
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS
from tests.support.budgets import no_time, ticking
from tests.support.engine_games import game_at

QUBIC = VARIANTS["qubic"]
KERNEL = QubicKernel(QUBIC)
BOOK_WIN = Verdict("win", None, "book")
BOOK_LOSS = Verdict("loss", None, "book")


def test_an_empty_board_is_opened_where_seven_lines_meet() -> None:
    for kernel, verdict in ((KERNEL, BOOK_WIN), (QubicKernel(QUBIC, QubicBook({})), UNKNOWN)):
        choices = [kernel.choose(new_game(QUBIC), ticking(100), random.Random(seed)) for seed in range(9)]
        assert all(len(board_of(QUBIC).through[1 << choice.cell]) == 7 for choice in choices)
        assert {choice.verdict for choice in choices} == {verdict}
        assert len({choice.cell for choice in choices}) > 2


# -- the book ----------------------------------------------------------------------------------------------------------

ENTRIES = list(walk(book.load("qubic").entries))
PARENTS = sorted({key // 64 for key in book.load("qubic").entries} - {0})
"""The numbers, from 1, of the entries that lead to others."""


def image_of(entry: Entry, image: tuple[int, ...]) -> FamilyPosition:
    """Return an image of an entry's position."""
    x, o = (sum(1 << image[cell] for cell in range(64) if mask >> cell & 1) for mask in (entry.x, entry.o))
    return FamilyPosition(QUBIC, x, o, 2 * x.bit_count())


def test_a_position_of_the_book_and_the_one_after_its_move_have_verdicts() -> None:
    """No search is needed, so the budget may be spent."""
    rng = random.Random(3)
    for entry in [ENTRIES[0], *rng.sample(ENTRIES, 40)]:
        position = image_of(entry, rng.choice(symmetries()))
        verdict, best, _ = KERNEL.analyse(position, no_time())
        assert verdict == BOOK_WIN
        choice = KERNEL.choose(game_at(position), no_time(), rng)
        assert choice.verdict == BOOK_WIN
        assert choice.cell in best
        after = position.play(choice.cell)
        lost, cells, _ = KERNEL.analyse(after, no_time())
        assert (lost.value, cells) == ("loss", after.legal())
        if any(KERNEL.book.moves(after.x, after.o | 1 << cell) for cell in cells):
            assert lost == BOOK_LOSS


class UnfollowedBook(QubicBook):
    """A book that does not say which positions follow from its moves."""

    def follows(self, x: int, o: int) -> bool:
        return False


def test_a_position_whose_every_reply_is_covered_is_lost() -> None:
    """It need not follow from an entry: each reply is looked up, or a search proves that X wins by fours."""
    rng = random.Random(4)
    entries = book.load("qubic").entries
    kernel = QubicKernel(QUBIC, UnfollowedBook(entries))
    empty = QubicKernel(QUBIC, QubicBook({}))
    without = []
    for entry in rng.sample([ENTRIES[number - 1] for number in PARENTS], 12):
        position = image_of(entry, symmetries()[0]).play(entry.cell)
        assert kernel.analyse(position, ticking(2000)).verdict == BOOK_LOSS
        without.append(empty.analyse(position, ticking(100)).verdict.value)
    assert without.count("unknown") >= 6


def test_a_position_with_an_uncovered_reply_is_not_lost_by_the_book() -> None:
    after = new_game(QUBIC).play(1)  # a corner wins, its neighbour is in no entry
    assert KERNEL.analyse(after.position, ticking(50)).verdict == UNKNOWN


def test_after_the_last_entry_the_plies_are_counted() -> None:
    """Every reply loses to fours at once, so the threat search proves the loss with its plies."""
    leaves = [entry for number, entry in enumerate(ENTRIES, 1) if number not in PARENTS and entry.o.bit_count() > 6]
    counted = 0
    for entry in random.Random(5).sample(leaves, 12):
        verdict = KERNEL.analyse(image_of(entry, symmetries()[0]).play(entry.cell), ticking(4000)).verdict
        assert verdict.value == "loss"
        counted += verdict.plies is not None
    assert counted >= 4


def play_x(opponent: Callable[[Game], int], rng: random.Random) -> Game:
    """Return a game of the top level with X. Every position of X must be proved won."""
    game = new_game(QUBIC)
    while game.outcome is None:
        if game.ply % 2:
            game = game.play(opponent(game))
        else:
            choice = KERNEL.choose(game, ticking(600), rng)
            assert choice.verdict.value == "win", game.moves
            game = game.play(choice.cell)
    return game


def longest_reply(game: Game, rng: random.Random) -> int:
    """Return a reply that is in the book, if there is one: X then has no win by fours yet."""
    position = game.position
    replies = [cell for cell in game.legal() if KERNEL.book.moves(position.x, position.o | 1 << cell)]
    return rng.choice(replies) if replies else one_ply_move(position, rng)


def opponents(rng: random.Random) -> dict[str, Callable[[Game], int]]:
    threats = ThreatKernel(QUBIC)
    return {
        "random": lambda game: rng.choice(game.legal()),
        "greedy": lambda game: one_ply_move(game.position, rng),
        "threat search": lambda game: threats.choose(game, ticking(60), rng).cell,
        "book": lambda game: longest_reply(game, rng),
    }


@pytest.mark.parametrize("name", ["random", "greedy", "threat search", "book"])
def test_with_x_it_wins_every_game_in_proved_positions(name: str) -> None:
    rng = random.Random(6)
    for _ in range(2):
        outcome = play_x(opponents(rng)[name], rng).outcome
        assert outcome is not None
        assert outcome.winner == "X"
