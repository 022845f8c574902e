"""Minimax and alpha-beta, counted. The programs here are written apart from the module: plain lists and recursion."""

from __future__ import annotations

import random

import pytest

from noughts.engine.minimax import LIMIT, Child, Visited, explain
from noughts.rules.game import Game

_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def _end(board: list[str]) -> str | None:
    """Return the winner, ``draw``, or None while the game goes on."""
    for a, b, c in _LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return None if " " in board else "draw"


def _tutorial(board: list[str], mark: str, depth: int, window: list[int] | None, seen: set[str]) -> tuple[int, int]:
    """Return the score and the positions visited; by minimax without a window, by alpha-beta with one."""
    seen.add("".join(board))
    end = _end(board)
    if end is not None:
        return {"X": 10 - depth, "O": depth - 10, "draw": 0}[end], 1
    best, visited = (-1000 if mark == "X" else 1000), 1
    alpha, beta = window or (0, 0)
    for cell in range(9):
        if board[cell] != " ":
            continue
        board[cell] = mark
        inner = None if window is None else [alpha, beta]
        score, below = _tutorial(board, "O" if mark == "X" else "X", depth + 1, inner, seen)
        board[cell] = " "
        visited += below
        best = max(best, score) if mark == "X" else min(best, score)
        if window is not None:
            alpha, beta = (max(alpha, best), beta) if mark == "X" else (alpha, min(beta, best))
            if alpha >= beta:
                break
    return best, visited


def _expected(game: Game, alpha: int, beta: int, depth: int) -> tuple[int, Visited]:
    board = [" "] * 9
    for ply, cell in enumerate(game.moves):
        board[cell] = "XO"[ply & 1]
    seen: set[str] = set()
    score, minimax = _tutorial(board, game.turn, depth, None, seen)
    _, alpha_beta = _tutorial(board, game.turn, depth, [alpha, beta], set())
    return score, Visited(minimax, alpha_beta, len(seen))


def _random_games(count: int, plies: range) -> list[Game]:
    chance = random.Random(1)
    games: list[Game] = []
    while len(games) < count:
        game = Game.of("classic")
        for _ in range(chance.choice(plies)):
            if game.outcome is None:
                game = game.play(chance.choice(game.legal()))
        games.append(game)
    return games


def test_the_empty_board_has_the_known_counts() -> None:
    empty = explain(Game.of("classic"))
    assert (empty.score, empty.visited) == (0, Visited(549_946, 20_866, 5_478))
    assert sum(child.visited.minimax for child in empty.children) == 549_945
    assert sum(child.visited.alpha_beta for child in empty.children) == 20_865


@pytest.mark.parametrize("game", _random_games(60, range(2, 10)), ids=lambda game: ",".join(game.move_names))
def test_scores_and_counts_are_those_of_the_tutorials_program(game: Game) -> None:
    explained = explain(game)
    assert (explained.score, explained.visited) == _expected(game, -LIMIT, LIMIT, 0)
    for child in explained.children:
        after = game.play(child.cell)
        alpha, beta = (LIMIT, LIMIT) if child.alpha is None or child.beta is None else (child.alpha, child.beta)
        score, visited = _expected(after, alpha, beta, 1)
        assert child.score == score
        assert child.visited == (visited._replace(alpha_beta=0) if child.pruned else visited)


@pytest.mark.parametrize("game", _random_games(30, range(1, 6)), ids=lambda game: ",".join(game.move_names))
def test_the_way_down_keeps_window_and_counting(game: Game) -> None:
    for child in explain(game).children:
        if child.alpha is not None and child.beta is not None:
            below = explain(game.play(child.cell), child.alpha, child.beta, game.ply)
            assert (below.score, below.visited) == (child.score, child.visited)


@pytest.mark.parametrize(
    ("moves", "score"), [("a1 a2 b1 b2 c1", 10), ("a1 b1 a2 b2 c3 b3", -10), ("a1 b1 c1 b2 a2 c2 b3 a3 c3", 0)]
)
def test_a_finished_game_has_no_children(moves: str, score: int) -> None:
    explained = explain(Game.of("classic", moves))
    assert (explained.score, explained.visited, explained.children) == (score, Visited(1, 1, 1), ())
    assert explain(Game.of("classic", moves), counted_from=0).score == (
        score and score - len(moves.split()) * (1 if score > 0 else -1)
    )


def _below(game: Game, children: tuple[Child, ...], window: tuple[int, int] | None, first: int, depth: int) -> None:
    """Compare a tree with the answers for each of its positions."""
    low, high = window or (-LIMIT, LIMIT)
    flat = explain(game, low, high, first).children
    assert [child.cell for child in children] == [child.cell for child in flat]
    for child, alone in zip(children, flat, strict=True):
        after = game.play(child.cell)
        assert (child.score, child.outcome) == (alone.score, after.outcome)
        assert (child.visited.minimax, child.visited.positions) == alone.visited[::2]
        if window is None:
            assert (child.pruned, child.alpha, child.beta, child.returned) == (True, None, None, None)
            assert child.visited.alpha_beta == 0
        else:
            assert child[:-1] == alone[:-1]
        entered = None if child.alpha is None or child.beta is None else (child.alpha, child.beta)
        if after.outcome is None and depth > 1:
            _below(after, child.children, entered, first, depth - 1)
        else:
            assert child.children == ()


@pytest.mark.parametrize("game", _random_games(30, range(3, 9)), ids=lambda game: ",".join(game.move_names))
def test_a_tree_has_the_answer_for_each_of_its_positions(game: Game) -> None:
    for depth in (1, 2, 4):
        _below(game, explain(game, depth=depth).children, (-LIMIT, LIMIT), game.ply, depth)
