"""Five by five: its values are right, it knows them in time, and it never loses a game that it plays."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from statistics import quantiles

import pytest

from noughts.engine.book import NotProvedError
from noughts.engine.budget import Budget
from noughts.engine.five_by_five.attack import AttackSearch
from noughts.engine.five_by_five.kernel import FiveByFiveKernel
from noughts.engine.five_by_five.openings import (
    MARKS,
    follow,
    load_openings,
    opening_key,
    openings,
    prove_book,
    solve_opening,
)
from noughts.engine.one_ply import at_a_glance, at_random
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.game import Game, new_game, replay_names
from noughts.rules.notation import cell_index
from noughts.rules.outcome import other
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, lines

VARIANT = VARIANTS["5x5"]
SIDE, LINE = 5, 4
VALUES = ("draw", "win", "loss")


def endless() -> Budget:
    return Budget(1.0, lambda: 0.0)


def looks(count: int) -> Budget:
    """A budget that ends at so many looks at the clock: the same on every machine."""
    seen = iter(range(count))
    return Budget(1.0, lambda: 0.0 if next(seen, None) is not None else 1.0)


# -- a slow solver of its own: lists of cells, no masks, no cuts but the end of the game ------------------------------

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def slow_completes(board: str, cell: int) -> bool:
    mark = board[cell]
    for right, down in DIRECTIONS:
        length = 1
        for sign in (1, -1):
            x, y = cell % SIDE + sign * right, cell // SIDE + sign * down
            while 0 <= x < SIDE and 0 <= y < SIDE and board[y * SIDE + x] == mark:
                length += 1
                x, y = x + sign * right, y + sign * down
        if length >= LINE:
            return True
    return False


@lru_cache(maxsize=1 << 20)
def slow_solve(board: str, mark: str) -> tuple[int, int]:
    """The value for ``mark``, who is to move, and the plies to the end: the soonest win, the latest loss."""
    best, plies = -1, 0
    empty = [cell for cell in range(SIDE * SIDE) if board[cell] == "."]
    if not empty:
        return 0, 0
    for cell in empty:
        after = board[:cell] + mark + board[cell + 1 :]
        if slow_completes(after, cell):
            return 1, 1
    for cell in empty:
        after = board[:cell] + mark + board[cell + 1 :]
        value, length = slow_solve(after, "O" if mark == "X" else "X")
        value, length = -value, length + 1
        if value > best or (value == best == 1 and length < plies) or (value == best == -1 and length > plies):
            best, plies = value, length
    return best, plies if best else 0


def board_of(position: FamilyPosition) -> str:
    return "".join("X" if position.x >> i & 1 else "O" if position.o >> i & 1 else "." for i in range(SIDE * SIDE))


def some_position(marks: int, rng: random.Random) -> FamilyPosition:
    """A position in play with so many marks, on random cells."""
    while True:
        position = FamilyPosition(VARIANT)
        for cell in rng.sample(range(SIDE * SIDE), marks):
            position = position.play(cell)
            if position.ended(cell):
                break
        else:
            return position


def position_of(board: str) -> FamilyPosition:
    x = sum(1 << i for i in range(SIDE * SIDE) if board[i] == "X")
    o = sum(1 << i for i in range(SIDE * SIDE) if board[i] == "O")
    return FamilyPosition(VARIANT, x, o, (x | o).bit_count())


def known_values() -> Iterator[tuple[FamilyPosition, str, int | None]]:
    for row in (Path(__file__).parent / "five_by_five_values.txt").read_text().splitlines():
        if not row.startswith("#"):
            board, value, *plies = row.split()
            yield position_of(board), value, int(plies[0]) if plies else None


@pytest.fixture(scope="module")
def kernel() -> FiveByFiveKernel:
    return FiveByFiveKernel(VARIANT)


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("marks", "count"), [(16, 4), (17, 8), (18, 20), (20, 30), (22, 30), (23, 30), (24, 30)])
def test_late_positions_have_the_value_plies_and_moves_of_a_slow_solver(
    kernel: FiveByFiveKernel, marks: int, count: int
) -> None:
    rng = random.Random(marks)
    for _ in range(count):
        position = some_position(marks, rng)
        value, plies = slow_solve(board_of(position), position.turn)
        keeping = []
        for cell in position.legal():
            after = position.play(cell)
            outcome = after.ended(cell)
            if outcome is None:
                worth = -slow_solve(board_of(after), after.turn)[0]
            else:
                worth = 0 if outcome.winner is None else 1
            if worth == value:
                keeping.append(cell)
        expected = Verdict(VALUES[value], plies if value else None, "exact")
        assert kernel.analyse(position, endless()) == Analysis(expected, tuple(keeping)), board_of(position)
    slow_solve.cache_clear()


def test_earlier_positions_have_the_values_and_plies_that_a_plain_negamax_found() -> None:
    kernel = FiveByFiveKernel(VARIANT)
    seen = Counter()
    for position, value, plies in known_values():
        assert kernel.analyse(position, endless()).verdict == Verdict(value, plies, "exact"), board_of(position)
        seen[value] += 1
    assert len(seen) == 3
    assert min(seen.values()) >= 18


def test_a_kernel_that_remembers_keeps_positions_apart_whose_marks_are_exchanged() -> None:
    kernel = FiveByFiveKernel(VARIANT)
    for position, value, plies in known_values():
        if not position.ply & 1:
            exchanged = FamilyPosition(VARIANT, position.o, position.x, position.ply)
            assert kernel.analyse(position, endless()).verdict == Verdict(value, plies, "exact")
            assert kernel.analyse(exchanged, endless()) == FiveByFiveKernel(VARIANT).analyse(exchanged, endless())


def test_best_is_exactly_the_moves_after_which_the_opponent_has_the_opposite_value(kernel: FiveByFiveKernel) -> None:
    rng = random.Random(8)
    opposite = {"win": "loss", "draw": "draw", "loss": "win"}
    for marks in (2, 3, 6, 8, 9, 10):
        for _ in range(2):
            position = some_position(marks, rng)
            verdict, best = kernel.analyse(position, endless())
            keeping = []
            for cell in position.legal():
                after = position.play(cell)
                if after.ended(cell) or kernel.analyse(after, endless()).verdict.value == opposite[verdict.value]:
                    keeping.append(cell)
            assert best == tuple(keeping)
            assert best
            if verdict.value == "loss":
                assert best == position.legal()


def test_a_turn_or_a_mirror_of_the_board_changes_neither_value_nor_the_cells_that_keep_it(
    kernel: FiveByFiveKernel,
) -> None:
    rng = random.Random(5)
    turned = [SIDE * (i % SIDE) + SIDE - 1 - i // SIDE for i in range(SIDE * SIDE)]
    mirrored = [SIDE * (i // SIDE) + SIDE - 1 - i % SIDE for i in range(SIDE * SIDE)]
    for marks in (1, 3, 4, 6, 9, 12):
        position = some_position(marks, rng)
        for images in (turned, mirrored):
            board = board_of(position)
            image = position_of("".join(board[images.index(i)] for i in range(SIDE * SIDE)))
            before, after = kernel.analyse(position, endless()), kernel.analyse(image, endless())
            assert after.verdict == before.verdict
            assert after.best == tuple(sorted(images[cell] for cell in before.best))


# -- in time -----------------------------------------------------------------------------------------------------------


def test_from_eight_marks_on_the_whole_analysis_takes_a_fraction_of_a_second(kernel: FiveByFiveKernel) -> None:
    """In nodes: plain Python searches more than 200,000 of them in a second."""
    rng = random.Random(88)
    spent = []
    for _ in range(200):
        fresh = FiveByFiveKernel(VARIANT)
        assert fresh.analyse(some_position(8, rng), endless()).verdict.value != "unknown"
        spent.append(fresh.nodes)
    assert quantiles(spent, n=20)[-1] < 6_000
    assert max(spent) < 30_000


def test_with_five_marks_the_value_and_a_move_that_keeps_it_take_a_fraction_of_a_second_too() -> None:
    rng = random.Random(55)
    for _ in range(12):
        position = some_position(5, rng)
        assert FiveByFiveKernel(VARIANT).analyse(position, looks(300)).verdict.value != "unknown"
        assert FiveByFiveKernel(VARIANT).choose(position, looks(60), rng).verdict.value != "unknown"


def test_without_time_the_book_still_answers_and_the_rest_is_unknown_or_right(kernel: FiveByFiveKernel) -> None:
    rng = random.Random(4)
    assert kernel.analyse(some_position(3, rng), looks(0)).verdict.proof == "book"
    unknown = 0
    for position, value, plies in known_values():
        analysis = FiveByFiveKernel(VARIANT).analyse(position, looks(0))
        if analysis.verdict.value == "unknown":
            assert analysis == Analysis(UNKNOWN, ())
            unknown += 1
        else:
            assert analysis.verdict.value == value
            assert analysis.verdict.plies in (plies, None)
    assert unknown > 5


def test_without_time_it_still_completes_its_line_and_blocks_the_other() -> None:
    rng = random.Random(1)
    kernel = FiveByFiveKernel(VARIANT)
    open_three = replay_names(VARIANT, ["b2", "a5", "c2", "b4", "d2", "e4"]).position
    assert kernel.choose(open_three, looks(0), rng).cell in {cell_index(VARIANT, "a2"), cell_index(VARIANT, "e2")}
    to_block = replay_names(VARIANT, ["b2", "a2", "c2", "b4", "d2"]).position
    assert kernel.choose(to_block, looks(0), rng).cell == cell_index(VARIANT, "e2")
    for position, _, _ in known_values():
        assert FiveByFiveKernel(VARIANT).choose(position, looks(0), rng).cell in position.legal()


# -- play --------------------------------------------------------------------------------------------------------------


def follow_the_kernel(kernel: FiveByFiveKernel, position: FamilyPosition, rng: random.Random) -> tuple[int, str | None]:
    """How many plies the kernel's own moves for both sides take to the end, and who wins."""
    plies = 0
    while True:
        cell = kernel.choose(position, endless(), rng).cell
        position = position.play(cell)
        plies += 1
        outcome = position.ended(cell)
        if outcome is not None:
            return plies, outcome.winner


def test_it_wins_as_soon_and_loses_as_late_as_its_verdict_says(kernel: FiveByFiveKernel) -> None:
    rng = random.Random(3)
    decided = 0
    for position, value, plies in known_values():
        if plies is not None and decided < 25:
            decided += 1
            winner = position.turn if value == "win" else other(position.turn)
            assert follow_the_kernel(kernel, position, rng) == (plies, winner)


Opponent = Callable[[FamilyPosition, random.Random], int]


def greedy(position: FamilyPosition, rng: random.Random) -> int:
    """Completes, blocks, else takes the cell with the most lines that it could still complete."""
    mine, theirs = (position.o, position.x) if position.ply & 1 else (position.x, position.o)
    for marks in (mine, theirs):
        for cell in position.legal():
            if any((marks | 1 << cell) & line == line for line in lines(VARIANT.shape, VARIANT.line)):
                return cell

    def hope(cell: int) -> float:
        through = [line for line in lines(VARIANT.shape, VARIANT.line) if line >> cell & 1 and not line & theirs]
        return sum(4.0 ** (line & mine).bit_count() for line in through) + rng.random()

    return max(position.legal(), key=hope)


def never_wrong(kernel: FiveByFiveKernel) -> Opponent:
    """Any of the moves that keep the value."""
    return lambda position, rng: rng.choice(kernel.analyse(position, endless()).best)


def play(kernel: FiveByFiveKernel, mark: str, opponent: Opponent, rng: random.Random) -> Game:
    game = new_game(VARIANT)
    while game.outcome is None:
        if game.position.turn == mark:
            before = kernel.nodes
            choice = kernel.choose(game.position, looks(300), rng)
            assert choice.verdict.value in ("win", "draw"), game.moves
            assert kernel.nodes - before < 120_000, game.moves
            game = game.play(choice.cell)
        else:
            game = game.play(opponent(game.position, rng))
    return game


@pytest.mark.parametrize("mark", ["X", "O"])
@pytest.mark.parametrize("opponent", ["random", "glance", "greedy", "never wrong"])
def test_it_never_loses_a_game_from_the_empty_board(mark: str, opponent: str) -> None:
    rng = random.Random(f"{mark} {opponent}")
    kernel = FiveByFiveKernel(VARIANT)
    plays = {
        "random": at_random,
        "glance": at_a_glance,
        "greedy": greedy,
        "never wrong": never_wrong(FiveByFiveKernel(VARIANT)),
    }[opponent]
    winners = Counter(play(kernel, mark, plays, rng).outcome.winner for _ in range(4))
    assert winners[other(mark)] == 0
    if opponent == "random":
        assert winners[mark] == 4
    if opponent == "never wrong":
        assert winners[None] == 4


@pytest.mark.long
@pytest.mark.parametrize("mark", ["X", "O"])
def test_it_never_loses_a_long_match(mark: str) -> None:
    rng = random.Random(mark)
    kernel = FiveByFiveKernel(VARIANT)
    for opponent in (at_random, at_a_glance, greedy, never_wrong(FiveByFiveKernel(VARIANT))):
        for _ in range(100):
            assert play(kernel, mark, opponent, rng).outcome.winner != other(mark)


def test_whatever_the_opponent_replies_a_drawn_endgame_is_not_lost(kernel: FiveByFiveKernel) -> None:
    """Every line of the opponent's play against the kernel's, to the end."""
    rng = random.Random(17)
    ends: Counter[bool] = Counter()

    def every_line(position: FamilyPosition, mark: str) -> None:
        if position.turn == mark:
            cells: tuple[int, ...] = (kernel.choose(position, endless(), rng).cell,)
        else:
            cells = position.legal()
        for cell in cells:
            after = position.play(cell)
            outcome = after.ended(cell)
            if outcome is None:
                every_line(after, mark)
            else:
                assert outcome.winner != other(mark)
                ends[outcome.winner == mark] += 1

    tried = 0
    while tried < 8:
        position = some_position(rng.choice((15, 16)), rng)
        if kernel.analyse(position, endless()).verdict.value == "draw":
            every_line(position, position.turn)
            tried += 1
    assert ends[True] > 100
    assert ends[False] > 100


def test_its_drawing_moves_set_traps(kernel: FiveByFiveKernel) -> None:
    """As X from the empty board against replies at random it goes where most of them lose."""
    rng = random.Random(2)

    def losing(cell: int) -> int:
        after = new_game(VARIANT).position.play(cell)
        return sum(kernel.analyse(after.play(reply), endless()).verdict.value == "win" for reply in after.legal())

    chosen = kernel.choose(new_game(VARIANT).position, endless(), rng).cell
    assert losing(chosen) == max(losing(cell) for cell in range(SIDE * SIDE)) > 0


# -- the book ----------------------------------------------------------------------------------------------------------


def test_the_book_holds_every_position_with_up_to_four_marks_in_a_small_file() -> None:
    size = len((files("noughts.engine") / "books" / "5x5.book").read_bytes())
    assert size <= 150_000
    assert set(load_openings()) == {key for marks in range(MARKS + 1) for key, _, _ in openings(marks)}


def test_entries_of_the_book_taken_at_random_are_proved_again() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    book = load_openings()
    search = AttackSearch()
    for key, x, o in rng.sample(list(openings(MARKS)), 25):
        assert solve_opening(search, x, o, looks(400)) == book[key], (seed, x, o)


def test_every_entry_with_fewer_marks_follows_from_those_with_one_more() -> None:
    book = load_openings()
    for marks in range(MARKS):
        for key, x, o in openings(marks):
            position = FamilyPosition(VARIANT, x, o, marks)
            after = [position.play(cell) for cell in position.legal()]
            assert book[key] == follow([book[opening_key(reply.x, reply.o)] for reply in after])


def test_a_proof_of_the_book_shows_its_progress_and_stops_at_a_wrong_entry() -> None:
    first, second, *_ = (key for key, _, _ in openings(MARKS))
    book = load_openings()
    told: list[tuple[int, int]] = []
    with pytest.raises(NotProvedError, match=str(second)):
        prove_book({**book, second: book[second] + 2}, lambda done, total: told.append((done, total)))
    assert told == [(1, len(book))]
    with pytest.raises(NotProvedError, match=str(first)):
        prove_book({key: value for key, value in book.items() if key != first}, lambda done, total: None)


@pytest.mark.long
def test_the_whole_book_is_proved_again() -> None:
    prove_book(load_openings(), lambda done, total: None)


def test_the_game_is_a_draw(kernel: FiveByFiveKernel) -> None:
    verdict, best = kernel.analyse(new_game(VARIANT).position, looks(0))
    assert verdict == Verdict("draw", None, "book")
    assert cell_index(VARIANT, "c3") in best
