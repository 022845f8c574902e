"""Four in a row: values, plies and kept moves are right, come in time, and a game that X begins is won."""

from __future__ import annotations

import importlib.util
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from noughts.engine.budget import Budget, OutOfTimeError
from noughts.engine.four_in_a_row import search as gravity
from noughts.engine.four_in_a_row.book import Board, ShortSearch, board_of_sum, book_move
from noughts.engine.four_in_a_row.kernel import FourInARowKernel, board_of, cell_of
from noughts.engine.four_in_a_row.search import BOTTOM, FULL, GravitySearch, has_line, winning
from noughts.engine.kernels import kernel_for
from noughts.engine.one_ply import at_a_glance, at_random
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import Game, new_game, replay
from noughts.rules.variant import VARIANTS, lines

VARIANT = VARIANTS["four-in-a-row"]


def endless() -> Budget:
    return Budget(1.0, lambda: 0.0)


def looks(count: int) -> Budget:
    """A budget that ends at so many looks at the clock: the same on every machine."""
    seen = iter(range(count))
    return Budget(1.0, lambda: 0.0 if next(seen, None) is not None else 1.0)


def seconds(limit: float) -> Budget:
    """A budget of processor time, which a busy machine does not shorten."""
    return Budget(time.process_time() + limit, time.process_time)


def dropped(columns: str) -> Game:
    """The game after marks in these columns, counted from 1."""
    game = new_game(VARIANT)
    for column in columns:
        game = game.play(max(cell for cell in game.legal() if cell % 7 == int(column) - 1))
    return game


def some_game(plies: int, rng: random.Random) -> Game:
    """A game that goes on after so many random moves."""
    while True:
        game = new_game(VARIANT)
        while game.outcome is None and game.ply < plies:
            game = game.play(rng.choice(game.legal()))
        if game.outcome is None:
            return game


# -- a slow solver of its own: columns as strings, no masks, no threats, no cuts but the end of the game ---------------

Columns = tuple[str, ...]


def slow_columns(game: Game) -> Columns:
    columns = [""] * 7
    for ply, cell in enumerate(game.moves):
        columns[cell % 7] += "XO"[ply % 2]
    return tuple(columns)


def slow_completes(columns: Columns, column: int) -> bool:
    height = len(columns[column]) - 1
    mark = columns[column][height]
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            c, r = column + sign * right, height + sign * up
            while 0 <= c < 7 and 0 <= r < len(columns[c]) and columns[c][r] == mark:
                length, c, r = length + 1, c + sign * right, r + sign * up
        if length >= 4:
            return True
    return False


def slow_solve(columns: Columns, known: dict[Columns, tuple[int, int]]) -> tuple[int, int]:
    """Value (1, 0, -1) and plies to the end (0 for a draw) of perfect play, for the side to move."""
    if columns not in known:
        ply = sum(map(len, columns))
        found = []
        for column in range(7):
            if len(columns[column]) < 6:
                after = (*columns[:column], columns[column] + "XO"[ply % 2], *columns[column + 1 :])
                if slow_completes(after, column):
                    found.append((1, 1))
                elif ply == 41:
                    found.append((0, 0))
                else:
                    value, plies = slow_solve(after, known)
                    found.append((-value, plies + 1 if value else 0))
        known[columns] = max(found, key=lambda end: (end[0], -end[0] * end[1]))
    return known[columns]


def slow_verdict(game: Game) -> tuple[Verdict, tuple[int, ...]]:
    """The verdict and all moves that keep it."""
    known: dict[Columns, tuple[int, int]] = {}
    value, plies = slow_solve(slow_columns(game), known)
    kept = []
    for cell in game.legal():
        after = game.play(cell)
        if after.outcome is not None:
            reached = 1 if after.outcome.winner else 0
        else:
            reached = -slow_solve(slow_columns(after), known)[0]
        if reached == value:
            kept.append(cell)
    name = {1: "win", 0: "draw", -1: "loss"}[value]
    return Verdict(name, plies if value else None, "exact"), tuple(kept)  # type: ignore[arg-type]


# -- bit boards --------------------------------------------------------------------------------------------------------


def test_the_variant_is_played_by_this_kernel() -> None:
    assert isinstance(kernel_for(VARIANT), FourInARowKernel)
    assert not kernel_for(VARIANT).exact


def test_a_position_becomes_columns_from_below() -> None:
    game = dropped("4435")
    board = board_of(game.position)
    x, o = 1 << 7 * 3 | 1 << 7 * 2, 1 << 7 * 3 + 1 | 1 << 7 * 4
    assert board == Board(x, x | o, 4)
    assert [cell_of(1 << 7 * 3), cell_of(1 << 7 * 3 + 5), cell_of(1 << 5), cell_of(1 << 47)] == [38, 3, 0, 6]


def test_moves_on_columns_are_moves_of_the_rules() -> None:
    rng = random.Random(1)
    for _ in range(200):
        game = some_game(rng.randrange(0, 38), rng)
        board = board_of(game.position)
        assert sorted(cell_of(board.move(column)) for column in board.columns()) == list(game.legal())
        for cell in game.legal():
            after = game.play(cell)
            assert board.after(cell % 7) == board_of(after.position)
            won = after.outcome is not None and after.outcome.reason == "line"
            assert board.wins(cell % 7) is won


def test_winning_cells_are_those_that_complete_a_line_of_the_rules() -> None:
    rng = random.Random(2)
    bit = {cell_of(1 << i): 1 << i for i in range(49) if FULL >> i & 1}
    for _ in range(300):
        position = some_game(rng.randrange(4, 40), rng).position
        me, foe = (sum(bit[cell] for cell in bit if marks >> cell & 1) for marks in (position.x, position.o))
        want = 0
        for cell in bit:
            if not (position.x | position.o) >> cell & 1:
                marks = position.x | 1 << cell
                if any(marks & line == line for line in lines((7, 6), 4)):
                    want |= bit[cell]
        assert winning(me, me | foe) == want
        assert not has_line(me)
        assert has_line(me | want) is (want != 0)


def test_every_position_has_a_sum_of_its_own() -> None:
    # The number of positions after n plies without regard to the order of moves is a known sequence.
    layer = {Board(0, 0, 0)}
    counts = []
    for _ in range(7):
        counts.append(len(layer))
        assert len({board.sum for board in layer}) == len(layer)
        assert all(board_of_sum(board.sum) == board and board.mirrored().mirrored() == board for board in layer)
        layer = {board.after(column) for board in layer for column in board.columns()}
    assert counts == [1, 7, 49, 238, 1120, 4263, 16422]


# -- values ------------------------------------------------------------------------------------------------------------


def test_late_positions_are_valued_as_by_a_slow_solver() -> None:
    rng = random.Random(3)
    kernel = FourInARowKernel(VARIANT)
    values = []
    for _ in range(120):
        game = some_game(rng.randrange(29, 42), rng)
        analysis = kernel.analyse(game.position, endless())
        assert (analysis.verdict, analysis.best) == slow_verdict(game), game.moves
        values.append(analysis.verdict.value)
    assert set(values) == {"win", "draw", "loss"}


@pytest.mark.long
def test_positions_from_the_middle_are_valued_as_by_a_slow_solver() -> None:
    rng = random.Random(4)
    kernel = FourInARowKernel(VARIANT)
    for _ in range(40):
        game = some_game(24, rng)
        analysis = kernel.analyse(game.position, endless())
        assert (analysis.verdict, analysis.best) == slow_verdict(game), game.moves


def test_a_mirror_image_has_the_same_value() -> None:
    rng = random.Random(5)
    for _ in range(15):
        game = some_game(20, rng)
        image = replay(VARIANT, [cell - cell % 7 + 6 - cell % 7 for cell in game.moves])
        here = FourInARowKernel(VARIANT).analyse(game.position, endless())
        there = FourInARowKernel(VARIANT).analyse(image.position, endless())
        assert here.verdict == there.verdict
        assert {cell % 7 for cell in here.best} == {6 - cell % 7 for cell in there.best}


def test_a_value_fits_the_values_after_each_move() -> None:
    rng = random.Random(6)
    kernel = FourInARowKernel(VARIANT)
    for _ in range(15):
        game = some_game(19, rng)
        here = kernel.analyse(game.position, endless())
        for cell in game.legal():
            after = game.play(cell)
            if after.outcome is not None:
                assert here.verdict == Verdict("win", 1, "exact")
                assert cell in here.best
                continue
            there = FourInARowKernel(VARIANT).analyse(after.position, endless()).verdict
            back = {"win": "loss", "loss": "win", "draw": "draw"}[there.value]
            assert (back == here.verdict.value) is (cell in here.best)
            if here.verdict.value == "win" and cell in here.best:
                assert there.plies is not None
                assert here.verdict.plies is not None
                assert there.plies + 1 >= here.verdict.plies


def test_from_ply_20_on_values_are_proved_within_a_second() -> None:
    rng = random.Random(7)
    spent = []
    for _ in range(60):
        game = some_game(20, rng)
        kernel = FourInARowKernel(VARIANT)
        analysis = kernel.analyse(game.position, endless())
        assert analysis.verdict.value != "unknown"
        assert analysis.best
        spent.append(kernel.search.nodes)
    assert max(spent) < 100_000  # plain Python does about 180,000 nodes a second


# -- budgets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 3, 10])
def test_what_is_not_proved_in_time_is_unknown_and_never_wrong(count: int) -> None:
    rng = random.Random(8)
    kernel = FourInARowKernel(VARIANT)
    answers = []
    for _ in range(25):
        game = some_game(21, rng)
        hurried = FourInARowKernel(VARIANT).analyse(game.position, looks(count))
        sure = kernel.analyse(game.position, endless())
        answers.append(hurried.verdict.value)
        if hurried.verdict.value == "unknown":
            assert hurried == (UNKNOWN, ())
        else:
            assert hurried.verdict.value == sure.verdict.value
            assert hurried.verdict.plies in (None, sure.verdict.plies)
            assert hurried.best
            assert set(hurried.best) <= set(sure.best)
    assert ("unknown" in answers) is (count < 2)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 40])
def test_a_move_comes_within_any_budget(count: int) -> None:
    rng = random.Random(9)
    for plies in (1, 5, 9, 14, 22, 30, 38, 41):
        game = some_game(plies, rng)
        choice = FourInARowKernel(VARIANT).choose(game.position, looks(count), rng)
        assert choice.cell in game.legal()


def test_a_search_out_of_time_leaves_only_truths_in_the_table() -> None:
    rng = random.Random(10)
    for _ in range(10):
        board = board_of(some_game(18, rng).position)
        torn, whole = GravitySearch(65_521), GravitySearch(65_521)
        whole.allow(1 << 40, None)
        want = whole.score_reaches(*board, 1)
        for nodes in (1, 7, 50, 300, 2_000):
            torn.allow(nodes, None)
            try:
                assert torn.score_reaches(*board, 1) is want
            except OutOfTimeError:
                continue
        torn.allow(1 << 40, None)
        assert torn.score_reaches(*board, 1) is want


def test_the_same_question_takes_the_same_nodes_and_the_table_stays_small() -> None:
    board = board_of(some_game(16, random.Random(11)).position)
    counts = set()
    for _ in range(2):
        search = GravitySearch(65_521)
        search.allow(1 << 40, None)
        search.score_reaches(*board, 1)
        counts.add(search.nodes)
        assert len(search.table) == 65_521
    assert len(counts) == 1


# -- moves -------------------------------------------------------------------------------------------------------------


def test_it_wins_soonest_and_loses_latest() -> None:
    rng = random.Random(12)
    kernel = FourInARowKernel(VARIANT)
    tried = {"win": 0, "loss": 0}
    while min(tried.values()) < 15:
        game = some_game(rng.randrange(28, 40), rng)
        known: dict[Columns, tuple[int, int]] = {}
        value, plies = slow_solve(slow_columns(game), known)
        if value == 0:
            continue
        tried["win" if value > 0 else "loss"] += 1
        choice = kernel.choose(game.position, endless(), rng)
        assert choice.verdict == Verdict("win" if value > 0 else "loss", plies, "exact")
        after = game.play(choice.cell)
        if after.outcome is None:
            assert slow_solve(slow_columns(after), known) == (-value, plies - 1)
        else:
            assert plies == 1


def test_of_two_drawing_moves_it_takes_the_one_with_more_ways_to_go_wrong() -> None:
    rng = random.Random(13)
    kernel = FourInARowKernel(VARIANT)
    told_apart = 0
    while told_apart < 5:
        game = some_game(32, rng)
        verdict, kept = slow_verdict(game)
        if verdict.value != "draw" or len(kept) < 2:
            continue
        parts = {}
        for cell in kept:
            after = game.play(cell)
            lost = [reply for reply in after.legal() if reply not in slow_verdict(after)[1]]
            parts[cell] = len(lost) / len(after.legal())
        told_apart += len(set(parts.values())) > 1
        assert parts[kernel.choose(game.position, endless(), rng).cell] == max(parts.values())


def play(x: Callable[[Game], int], o: Callable[[Game], int], game: Game) -> Game:
    while game.outcome is None:
        game = game.play(x(game) if game.ply % 2 == 0 else o(game))
    return game


def engine(kernel: FourInARowKernel, limit: int, rng: random.Random) -> Callable[[Game], int]:
    """The top level, with so many looks at the clock for a move (each after 1,024 nodes, or 256 of a guess)."""
    return lambda game: kernel.choose(game.position, looks(limit), rng).cell


def test_a_game_that_it_begins_is_won_against_anybody() -> None:
    rng = random.Random(14)
    x = engine(FourInARowKernel(VARIANT), 80, rng)
    other_engine = FourInARowKernel(VARIANT)
    opponents: list[Callable[[Game], int]] = [
        lambda game: at_random(game.position, rng),
        lambda game: at_a_glance(game.position, rng),
        engine(other_engine, 8, rng),
    ]
    for opponent, games in zip(opponents, (8, 8, 2), strict=True):
        for _ in range(games):
            outcome = play(x, opponent, new_game(VARIANT)).outcome
            assert outcome is not None
            assert outcome.winner == "X"


def test_after_the_book_no_proof_takes_long() -> None:
    """X follows book and search, O wanders; each position that X meets is proved afresh in few nodes."""
    rng = random.Random(15)
    kernel = FourInARowKernel(VARIANT)
    for _ in range(6):
        game = new_game(VARIANT)
        while game.outcome is None:
            board = board_of(game.position)
            if game.ply % 2 == 0 and book_move(kernel.entries, board) is None:
                assert ShortSearch().wins(board, 80_000) is True, game.moves
            if game.ply % 2 == 0:
                game = game.play(kernel.choose(game.position, looks(80), rng).cell)
            else:
                replies = [cell for cell in game.legal() if game.play(cell).outcome is None]
                longest = [cell for cell in replies if not gives_it_away(game, cell)]
                game = game.play(rng.choice(longest or replies or list(game.legal())))


def gives_it_away(game: Game, cell: int) -> bool:
    """Whether the other side could complete a line at once."""
    after = game.play(cell)
    return any(after.play(reply).outcome is not None for reply in after.legal())


def test_the_start_is_a_win_by_the_book() -> None:
    kernel = FourInARowKernel(VARIANT)
    analysis = kernel.analyse(new_game(VARIANT).position, looks(1))
    assert (analysis.verdict.value, analysis.verdict.proof) == ("win", "book")
    assert analysis.best == (38,)
    assert kernel.choose(new_game(VARIANT).position, looks(1), random.Random(1)).cell == 38


def test_the_book_speaks_for_both_sides() -> None:
    kernel = FourInARowKernel(VARIANT)
    for reply in "1234567":
        answered = kernel.analyse(dropped("4" + reply).position, looks(40))
        assert (answered.verdict.value, answered.verdict.proof) == ("win", "book"), reply
    lost = kernel.analyse(dropped("4").position, looks(40))
    assert (lost.verdict.value, lost.verdict.proof) == ("loss", "book")
    assert lost.best == dropped("4").legal()


def test_x_takes_over_in_a_position_of_the_book_and_wins() -> None:
    rng = random.Random(16)
    kernel = FourInARowKernel(VARIANT)
    keys = sorted(kernel.entries)
    for key in rng.sample(keys, 6):
        board = board_of_sum(key)
        assert book_move(kernel.entries, board.mirrored()) is not None
        game = game_of(board)
        if game is None:
            continue
        outcome = play(engine(kernel, 80, rng), lambda game: at_a_glance(game.position, rng), game).outcome
        assert outcome is not None
        assert outcome.winner == "X"


def game_of(board: Board) -> Game | None:
    """Some game that leads to a position without passing a complete line."""

    def search(game: Game, here: Board) -> Game | None:
        if here.ply == board.ply:
            return game if here == board else None
        x = board.me if board.ply % 2 == 0 else board.me ^ board.taken
        wanted = x if here.ply % 2 == 0 else x ^ board.taken
        for column in here.columns():
            if here.move(column) & wanted:
                found = search(game.play(cell_of(here.move(column))), here.after(column))
                if found is not None:
                    return found
        return None

    return search(new_game(VARIANT), Board(0, 0, 0))


def test_as_o_it_blocks_without_a_proof() -> None:
    # 1.d6 d5 2.e6 c6 3.f6 leaves g6 alone.
    game = dropped("44536")
    kernel = FourInARowKernel(VARIANT)
    assert kernel.choose(game.position, looks(60), random.Random(1)).cell == 41


# -- one source, compiled or not ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def interpreted() -> ModuleType:
    """The module from its source, whatever else ``make fast`` has put beside it."""
    source = Path(gravity.__file__).with_name("search.py")
    spec = importlib.util.spec_from_file_location("interpreted_gravity", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_compiled_and_interpreted_search_agree_node_by_node(interpreted: ModuleType) -> None:
    """Without ``make fast`` both are plain Python; the slow solver above then checks the same source."""
    rng = random.Random(17)
    for plies in (16, 18, 20, 24, 30, 36):
        for _ in range(4):
            board = board_of(some_game(plies, rng).position)
            one, two = GravitySearch(65_521), interpreted.GravitySearch(65_521)
            for goal in (1, 0, -3, 4):
                one.allow(1 << 40, None)
                two.allow(1 << 40, None)
                assert one.score_reaches(*board, goal) is two.score_reaches(*board, goal)
                assert one.nodes == two.nodes


def test_masks_of_every_column_and_row_survive_compilation(interpreted: ModuleType) -> None:
    """mypyc folds a shift of a constant to 32 bits: then cells of the right half would vanish."""
    for first in range(49):
        for step in (1, 6, 7, 8):
            cells = [first + step * i for i in range(4)]
            if any(cell >= 49 or not FULL >> cell & 1 for cell in cells):
                continue
            line = sum(1 << cell for cell in cells)
            assert has_line(line)
            for cell in cells[3:] if step == 1 else cells:  # a column fills from below
                marks = line ^ 1 << cell
                assert not has_line(marks)
                assert winning(marks, marks) >> cell & 1
                assert winning(marks, marks) == interpreted.winning(marks, marks)
    assert BOTTOM << 5 & FULL == BOTTOM << 5


def test_the_source_shifts_no_constant_by_a_variable() -> None:
    source = Path(gravity.__file__).with_name("search.py").read_text()
    code = source.split('"""', 2)[2]
    assert not re.search(r"i64\(", code)
    assert not re.search(r"\b\d+\s*<<\s*[a-z]", code)
