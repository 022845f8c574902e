"""Games and a slow solver of four in a row for tests. The solver has columns as strings, no masks, and no cuts."""

from __future__ import annotations

from noughts.engine.four_in_a_row.board import Board, cell_of
from noughts.engine.verdict import Value, Verdict
from noughts.rules.game import Game, new_game
from noughts.rules.variant import VARIANTS

VARIANT = VARIANTS["four-in-a-row"]
Columns = tuple[str, ...]
"""For each column its marks from below, as a string of ``X`` and ``O``."""


def game_of_columns(columns: str) -> Game:
    """Return the game after marks in these columns, counted from 1."""
    game = new_game(VARIANT)
    for column in columns:
        game = game.play(max(cell for cell in game.legal() if cell % 7 == int(column) - 1))
    return game


def columns_of(game: Game) -> Columns:
    """Return the columns after a game's moves."""
    columns = [""] * 7
    for ply, cell in enumerate(game.moves):
        columns[cell % 7] += "XO"[ply % 2]
    return tuple(columns)


def slow_completes(columns: Columns, column: int) -> bool:
    """Return whether the highest mark of a column stands in a row of four."""
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


def slow_solve(columns: Columns, table: dict[Columns, tuple[int, int]]) -> tuple[int, int]:
    """Return the value (1, 0, -1) and the plies to the end (0 for a draw) of perfect play, for the side to move."""
    if columns not in table:
        ply = sum(map(len, columns))
        results = []
        for column in range(7):
            if len(columns[column]) < 6:
                after = (*columns[:column], columns[column] + "XO"[ply % 2], *columns[column + 1 :])
                if slow_completes(after, column):
                    results.append((1, 1))
                elif ply == 41:
                    results.append((0, 0))
                else:
                    value, plies = slow_solve(after, table)
                    results.append((-value, plies + 1 if value else 0))
        table[columns] = max(results, key=lambda result: (result[0], -result[0] * result[1]))
    return table[columns]


def slow_verdict(game: Game) -> tuple[Verdict, tuple[int, ...]]:
    """Return the verdict and all cells that keep it."""
    table: dict[Columns, tuple[int, int]] = {}
    value, plies = slow_solve(columns_of(game), table)
    keeping = []
    for cell in game.legal():
        after = game.play(cell)
        if after.outcome is not None:
            move_value = 1 if after.outcome.winner else 0
        else:
            move_value = -slow_solve(columns_of(after), table)[0]
        if move_value == value:
            keeping.append(cell)
    names: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
    return Verdict(names[value], plies if value else None, "exact"), tuple(keeping)


def game_to(board: Board) -> Game | None:
    """Return a game that leads to a position, None if every order of its marks completes a line earlier."""

    visited: set[Board] = set()

    def search(game: Game, current: Board) -> Game | None:
        if current.ply == board.ply:
            return game if current == board else None
        if game.outcome is not None or current in visited:
            return None
        visited.add(current)
        x = board.me if board.ply % 2 == 0 else board.me ^ board.occupied
        marks = x if current.ply % 2 == 0 else x ^ board.occupied
        for column in current.columns():
            if current.move(column) & marks:
                result = search(game.play(cell_of(current.move(column))), current.after(column))
                if result is not None:
                    return result
        return None

    return search(new_game(VARIANT), Board(0, 0, 0))
