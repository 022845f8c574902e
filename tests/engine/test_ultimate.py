"""Ultimate: the search sees the same game as the rules, proves only what is so, and stays inside its budget."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from noughts.engine.budget import Budget
from noughts.engine.ultimate.kernel import Root, UltimateKernel
from noughts.engine.ultimate.search import ALL_CLOSED, FREE, NODES_PER_CHECK, WIN, Move
from noughts.engine.ultimate.tables import (
    DRAWN,
    GAINS,
    LINE,
    MY_LINES,
    O_WON,
    POWER,
    STATES,
    TEMPO,
    THEIR_LINES,
    X_WON,
    Tables,
    judge,
)
from noughts.engine.verdict import UNKNOWN
from noughts.rules.game import Game, new_game, replay, start
from noughts.rules.ultimate import CELLS_OF, UltimatePosition
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["ultimate"]
ROWS = ("012", "345", "678", "036", "147", "258", "048", "246")


@pytest.fixture(scope="module")
def kernel() -> UltimateKernel:
    return UltimateKernel(VARIANT)


def endless() -> Budget:
    return Budget(1.0, lambda: 0.0)


def spent() -> Budget:
    return Budget(0.0, lambda: 1.0)


class Clock:
    """A clock that moves one second at each look, and counts the looks."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


def looks(count: int) -> Budget:
    return Budget(count + 0.5, Clock())


def random_games(count: int, seed: int) -> Iterator[Game]:
    rng = random.Random(seed)
    for _ in range(count):
        game = new_game(VARIANT)
        while game.outcome is None:
            game = game.play(rng.choice(game.legal()))
        yield game


def positions_of(game: Game) -> Iterator[UltimatePosition]:
    """Every position of a game but the last."""
    position = start(VARIANT)
    assert isinstance(position, UltimatePosition)
    for cell in game.moves:
        yield position
        position = position.play(cell)


def open_cells(position: UltimatePosition) -> int:
    return sum(
        position.boards[board] is None and not (position.x | position.o) >> cell & 1
        for board in range(9)
        for cell in CELLS_OF[board]
    )


def endings(cells: int, count: int, seed: int) -> list[UltimatePosition]:
    """Positions of random games with so many open cells left, one of a game."""
    found = []
    for game in random_games(10 * count, seed):
        found += [position for position in positions_of(game) if open_cells(position) == cells][:1]
        if len(found) == count:
            return found
    raise AssertionError("too few endings")


# -- a slow solver of its own, on the rules alone ----------------------------------------------------------------------


def slow_outcomes(position: UltimatePosition) -> dict[int, tuple[int, int]]:
    """For each legal cell, what filling it leads to for who fills it: 1, 0 or -1, and the plies to the end."""
    found = {}
    for cell in position.legal():
        after = position.play(cell)
        end = after.ended(cell)
        if end is not None:
            found[cell] = (0 if end.winner is None else 1, 1)
        else:
            value, plies = slow_value(after)
            found[cell] = (-value, plies + 1)
    return found


@cache
def slow_value(position: UltimatePosition) -> tuple[int, int]:
    """The value for the side to move; the fewest plies to a win, the most to a loss, any to a draw."""
    outcomes = slow_outcomes(position).values()
    value = max(value for value, _ in outcomes)
    lengths = [plies for reached, plies in outcomes if reached == value]
    return value, min(lengths) if value > 0 else max(lengths)


VALUE = {"win": 1, "draw": 0, "loss": -1}


# -- the tables --------------------------------------------------------------------------------------------------------


def digits(state: int) -> list[int]:
    return [state // POWER[place] % 3 for place in range(9)]


def test_a_small_board_is_decided_by_a_line_or_by_its_last_cell() -> None:
    tables = Tables()
    for state in range(STATES):
        marks = digits(state)
        lined = {mark for mark in (1, 2) for row in ROWS if all(marks[int(place)] == mark for place in row)}
        decided = tables.decided[state]
        if lined == {1, 2}:
            assert decided in (X_WON, O_WON)  # no game leads there
        elif lined:
            assert decided == (X_WON if lined == {1} else O_WON)
        else:
            assert decided == (0 if 0 in marks else DRAWN)
        for side in (0, 1):
            after = {place: new for place, new, _ in tables.successors[side][state]}
            expected = {} if decided else {place: place for place in range(9) if marks[place] == 0}
            assert after.keys() == expected.keys()
            for place, new in after.items():
                assert digits(new) == [*marks[:place], side + 1, *marks[place + 1 :]]


def test_chances_are_those_of_the_game_where_a_coin_says_who_marks() -> None:
    x_chance, o_chance = Tables().chances

    @cache
    def coin(marks: str) -> tuple[float, float]:
        for row in ROWS:
            if all(marks[int(place)] == "X" for place in row):
                return 1.0, 0.0
            if all(marks[int(place)] == "O" for place in row):
                return 0.0, 1.0
        free = [place for place in range(9) if marks[place] == "."]
        if not free:
            return 0.0, 0.0
        x = max((coin(marks[:place] + "X" + marks[place + 1 :]) for place in free), key=lambda pair: pair[0] - pair[1])
        o = max((coin(marks[:place] + "O" + marks[place + 1 :]) for place in free), key=lambda pair: pair[1] - pair[0])
        return (x[0] + o[0]) / 2, (x[1] + o[1]) / 2

    for marks in (
        "." * 9,
        "XX.......",
        "X...O....",
        "XX.OO....",
        "X.X.O.X..",
        "XOXXOO.X.",
        "OXO......",
        "XXX.OO...",
        "XOXXOOOXX",
    ):
        state = sum(POWER[place] * ".XO".index(mark) for place, mark in enumerate(marks))
        x, o = coin(marks)
        # Two marks may raise the difference equally and the chances not: only the difference is certain.
        assert x_chance[state] - o_chance[state] == pytest.approx(x - o)
        assert min(x_chance[state], o_chance[state]) >= 0
        assert x_chance[state] + o_chance[state] <= 1


def test_the_large_board_is_judged_by_its_lines() -> None:
    tables = Tables()
    rng = random.Random(3)
    for _ in range(200):
        states = [rng.randrange(STATES) for _ in range(9)]
        side = rng.randrange(2)
        mine = [tables.chances[side][state] for state in states]
        theirs = [tables.chances[side ^ 1][state] for state in states]

        def total(chances: list[float]) -> float:
            return sum(chances[int(a)] * chances[int(b)] * chances[int(c)] for a, b, c in ROWS)

        def without(chances: list[float], board: int) -> float:
            return total([*chances[:board], 1.0, *chances[board + 1 :]]) - total(
                [*chances[:board], 0.0, *chances[board + 1 :]]
            )

        judged = judge(tables.classes, sum(tables.class_at[board][state] for board, state in enumerate(states)), side)
        assert judged[0] == pytest.approx(LINE * (total(mine) - total(theirs)))
        for board, state in enumerate(states):
            assert judged[MY_LINES + board] == pytest.approx(LINE * without(mine, board))
            assert judged[THEIR_LINES + board] == pytest.approx(LINE * without(theirs, board))
            replies = [new for _, new, _ in tables.successors[side ^ 1][state]]
            gains = [
                (tables.chances[side ^ 1][new] - theirs[board]) * without(theirs, board)
                + (mine[board] - tables.chances[side][new]) * without(mine, board)
                for new in replies
            ] or [0.0]
            # The best mark for the small board alone, which is not always the best for the lines through it.
            assert any(judged[GAINS + board] == pytest.approx(TEMPO * LINE * gain, abs=1e-6) for gain in gains)
        assert judged[GAINS + FREE] == max(judged[GAINS : GAINS + 9])


# -- the search and the rules ------------------------------------------------------------------------------------------


def test_every_move_leads_where_the_rules_say(kernel: UltimateKernel) -> None:
    for game in random_games(12, seed=1):
        for position in positions_of(game):
            check_moves(kernel, position)


def check_moves(kernel: UltimateKernel, position: UltimatePosition) -> None:
    root = Root(kernel.tables, position)
    winning = [cell for cell in position.legal() if won(position, cell)]
    if winning:
        assert root.best[0] == WIN
        assert root.cell(root.best) in winning
        return
    assert sorted(root.cell(move) for move in root.moves) == list(position.legal())
    for move in root.moves:
        after = position.play(root.cell(move))
        if after.ended(root.cell(move)) is not None:
            assert (move[8], move[0]) == (ALL_CLOSED, 0)
            continue
        there = Root(kernel.tables, after)
        assert leads_to(move) == (there.forced, there.worth, there.won_x, there.won_o, there.closed)


def leads_to(move: Move) -> tuple[int, ...]:
    return (move[3], move[4], *move[6:9])


def won(position: UltimatePosition, cell: int) -> bool:
    end = position.play(cell).ended(cell)
    return end is not None and end.winner is not None


@pytest.mark.parametrize("cells", [1, 4, 7, 9, 11])
def test_endings_are_proved_right(kernel: UltimateKernel, cells: int) -> None:
    for position in endings(cells, 8, seed=cells):
        value, plies = slow_value(position)
        analysis = kernel.analyse(position, endless())
        assert VALUE[analysis.verdict.value] == value
        assert analysis.verdict.plies == (plies if value else None)
        assert analysis.verdict.proof == "exact"
        outcomes = slow_outcomes(position)
        proved = {cell for cell, (reached, _) in outcomes.items() if reached == value}
        assert set(analysis.best) <= proved
        assert analysis.best
        if value < 0:
            assert analysis.best == position.legal()
        if value == 0:
            assert set(analysis.best) == proved
        assert list(analysis.best) == sorted(analysis.best)
        choice = kernel.choose(position, endless(), random.Random(0))
        # An only move is made without much thought.
        assert choice.verdict == analysis.verdict or (choice.verdict == UNKNOWN and len(outcomes) == 1)
        # It wins soonest and loses latest.
        assert outcomes[choice.cell] == (value, plies) or (value == 0 and outcomes[choice.cell][0] == 0)


def test_a_search_that_is_broken_off_claims_nothing_wrong() -> None:
    kernel = UltimateKernel(VARIANT, nodes_per_check=1)
    claimed = 0
    for position in endings(10, 12, seed=78):
        value, plies = slow_value(position)
        proved = {cell for cell, (reached, _) in slow_outcomes(position).items() if reached == value}
        for count in (*range(40), *range(40, 200, 7)):
            verdict, best = kernel.analyse(position, looks(count))
            told = kernel.choose(position, looks(count), random.Random(count))
            if told.verdict != UNKNOWN:
                assert (VALUE[told.verdict.value], told.verdict.plies) == (value, plies if value else None)
                assert told.cell in proved
            if verdict == UNKNOWN:
                assert best == ()
                continue
            claimed += 1
            assert (VALUE[verdict.value], verdict.plies) == (value, plies if value else None)
            assert set(best) <= proved
            assert best
    assert claimed > 100


def test_the_last_ply_looks_up_what_the_moves_are_estimated_at(kernel: UltimateKernel) -> None:
    for game in random_games(12, seed=15):
        for position in positions_of(game):
            root = Root(kernel.tables, position)
            if root.best[0] != WIN:
                wide = (root.side, root.forced, WIN, position.ply, root.worth, root.won_x, root.won_o, root.closed)
                assert root.search.last(*wide) == int(root.best[0])


@pytest.mark.long
def test_many_endings_are_proved_right(kernel: UltimateKernel) -> None:
    for position in endings(12, 40, seed=101):
        value, plies = slow_value(position)
        outcomes = slow_outcomes(position)
        verdict, best = kernel.analyse(position, endless())
        assert (VALUE[verdict.value], verdict.plies) == (value, plies if value else None)
        assert set(best) <= {cell for cell, (reached, _) in outcomes.items() if reached == value}
        slow_value.cache_clear()


def test_it_wins_at_once_and_lets_nobody_win_at_once_even_without_time(kernel: UltimateKernel) -> None:
    rng = random.Random(5)
    wins = guards = 0
    for game in random_games(30, seed=6):
        for position in positions_of(game):
            if position.ply < 17:
                continue
            cell = kernel.choose(position, spent(), rng).cell
            winning = [cell for cell in position.legal() if won(position, cell)]
            if winning:
                wins += 1
                assert cell in winning
                continue
            safe = [
                cell
                for cell in position.legal()
                if not any(won(position.play(cell), reply) for reply in replies(position, cell))
            ]
            if 0 < len(safe) < len(position.legal()):
                guards += 1
                assert cell in safe
    assert wins > 10
    assert guards > 20


def replies(position: UltimatePosition, cell: int) -> tuple[int, ...]:
    after = position.play(cell)
    return () if after.ended(cell) is not None else after.legal()


# -- budget, seed, beginnings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 10, 60])
def test_it_stops_at_the_look_that_finds_the_budget_spent(kernel: UltimateKernel, count: int) -> None:
    position = replay(VARIANT, (40, 39, 28, 3, 10)).position
    clock = Clock()
    kernel.choose(position, Budget(count + 0.5, clock), random.Random(1))
    assert clock.looks <= count + 1
    assert kernel.nodes <= NODES_PER_CHECK * (count + 2)


def test_a_spent_budget_still_buys_a_legal_move_of_few_nodes(kernel: UltimateKernel) -> None:
    for game in random_games(20, seed=9):
        for position in positions_of(game):
            assert kernel.choose(position, spent(), random.Random(2)).cell in position.legal()
            assert kernel.nodes <= 81


def test_the_same_seed_and_the_same_looks_give_the_same_search() -> None:
    position = replay(VARIANT, (40, 39, 28, 3)).position
    one, two = UltimateKernel(VARIANT), UltimateKernel(VARIANT)
    two.choose(start(VARIANT), looks(50), random.Random(8))  # what came before leaves no trace
    assert one.choose(position, looks(50), random.Random(4)) == two.choose(position, looks(50), random.Random(4))
    assert one.nodes == two.nodes


def test_seeds_vary_the_opening(kernel: UltimateKernel) -> None:
    assert len({kernel.choose(start(VARIANT), spent(), random.Random(seed)).cell for seed in range(20)}) > 1


def test_what_cannot_end_soon_is_unknown_without_a_search(kernel: UltimateKernel) -> None:
    clock = Clock()
    assert kernel.analyse(start(VARIANT), Budget(1e9, clock)) == (UNKNOWN, ())
    assert clock.looks == 0


def test_a_win_at_once_is_known_however_early(kernel: UltimateKernel) -> None:
    game = helped_win()
    position = replay(VARIANT, game.moves[:-1]).position
    verdict, best = kernel.analyse(position, endless())
    assert verdict == ("win", 1, "exact")
    assert game.moves[-1] in best


def helped_win() -> Game:
    """The shortest random game of many: both sides at random until somebody wins."""
    return min(
        (game for game in random_games(300, seed=12) if game.outcome and game.outcome.winner), key=lambda g: g.ply
    )


def test_it_beats_random_play_with_either_mark(kernel: UltimateKernel) -> None:
    for number in range(6):
        rng = random.Random(number)
        ours = "XO"[number % 2]
        game = new_game(VARIANT)
        while game.outcome is None:
            mine = game.position.turn == ours
            game = game.play(kernel.choose(game.position, looks(4), rng).cell if mine else rng.choice(game.legal()))
        assert game.outcome.winner == ours
