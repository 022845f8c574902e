"""The analysis on graphs of a few positions. The tests of vanishing compare its values with the rules."""

from __future__ import annotations

import pytest

from noughts.engine.budget import OutOfTimeError
from noughts.engine.retrograde import Ages, Graph, finish, reachable, solve
from noughts.rules.variant import VARIANTS
from tests.support.budgets import endless, no_time

NONE: frozenset[int] = frozenset()


def graph_of(*after: list[int], over: list[int]) -> Graph:
    """Return a graph with these edges."""
    numbers: dict[Ages, int] = {(number,): number for number in range(len(after))}
    before = [[number for number, moves in enumerate(after) if child in moves] for child in range(len(after))]
    return Graph(numbers, list(after), before, over)


CHAIN = graph_of([1], [2, 3], [4], [5], [3], [], over=[5])
"""0 leads to 1. From there, 3 leads to the end at once, and 2 after a detour over 4."""
CYCLE = graph_of([1, 2], [0], [], over=[])
"""0 and 1 lead to each other, and 2 ends the game without a line."""


def test_the_quickest_win_and_the_longest_loss() -> None:
    assert finish(solve(CHAIN, CHAIN.over, NONE, misere=False), endless()) == [5, 4, 3, 1, 2, 0]


def test_in_misere_the_side_to_move_wins_at_a_line() -> None:
    """So 3, which must complete one, is lost, and 1 wins by the quicker way."""
    assert finish(solve(CHAIN, CHAIN.over, NONE, misere=True), endless()) == [3, 2, 3, 1, 2, 0]


def test_positions_that_go_on_for_ever_are_draws() -> None:
    assert finish(solve(CYCLE, CYCLE.over, NONE, misere=False), endless()) == [None, None, None]


def test_a_game_ends_in_a_draw_where_it_is_repeated() -> None:
    """The detour is the only way to the end."""
    assert finish(solve(CHAIN, CHAIN.over, {3}, misere=False), endless()) == [None, None, None, None, None, 0]


def test_another_win_replaces_one_that_is_repeated() -> None:
    """0 wins at once by 1, and in three plies by 2."""
    graph = graph_of([1, 2], [], [3], [4], [], over=[1, 4])
    assert finish(solve(graph, graph.over, NONE, misere=False), endless())[0] == 1
    assert finish(solve(graph, graph.over, {1}, misere=False), endless())[0] == 3


def test_a_repetition_needs_the_same_side_to_move() -> None:
    """In the second half of the positions, the other side moves."""
    plies = finish(solve(CHAIN, [5, 11], {3}, misere=False, halves=2), endless())
    assert plies[3] is None
    assert plies[9] == 1


def test_every_reachable_position_has_its_moves() -> None:
    graph = finish(reachable(VARIANTS["vanishing"]), endless())
    assert len(graph.after) == len(graph.before) == len(graph.numbers) == 73_450
    assert graph.numbers[()] == 0
    assert [graph.numbers[cell,] for cell in range(9)] == graph.after[0]
    assert all(not graph.after[number] for number in graph.over)
    assert len(graph.over) == 73_450 - 66_682


def test_work_without_time_can_go_on_later() -> None:
    steps = reachable(VARIANTS["vanishing"])
    with pytest.raises(OutOfTimeError):
        finish(steps, no_time())
    assert len(finish(steps, endless()).after) == 73_450
