"""The views of puzzles and of minimax."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from noughts.engine.minimax import explain
from noughts.protocol.puzzle_views import judgement_view, minimax_view, puzzle_view
from noughts.puzzles.collection import puzzle_of, records
from noughts.puzzles.puzzle import Puzzle, judge
from noughts.rules.game import Game
from noughts.rules.variant import VARIANTS, variant_named


def _puzzle(variant: str, *, most_moves: bool = False) -> Puzzle:
    puzzles = [puzzle_of(variant_named(variant), record) for record in records(variant).values()]
    return max(puzzles, key=lambda puzzle: len(puzzle.moves)) if most_moves else puzzles[0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_puzzle_shows_its_position_and_no_answer(variant: str) -> None:
    puzzle = _puzzle(variant, most_moves=True)
    view, game = puzzle_view(puzzle), puzzle.game
    assert (view.moves, view.turn, view.legal) == (game.move_names, game.turn, game.legal_names())
    position, names = game.position, puzzle.variant.names
    assert view.marks == {names[cell]: "X" for cell in range(len(names)) if position.x >> cell & 1} | {
        names[cell]: "O" for cell in range(len(names)) if position.o >> cell & 1
    }
    assert (view.fading is UNSET) == (variant != "vanishing")
    assert (view.boards is UNSET, view.forced is UNSET) == (variant != "ultimate", variant != "ultimate")


@pytest.mark.parametrize("variant", ["classic", "vanishing", "ultimate"])
def test_a_judgement_shows_the_position_after_the_try(variant: str) -> None:
    puzzle = _puzzle(variant)
    names = puzzle.variant.names
    line = [names[cell] for cell in puzzle.line]
    given_up = judgement_view(puzzle, judge(puzzle, [], give_up=True), [])
    assert (given_up.line, given_up.position.moves) == (tuple(line), (*puzzle.game.move_names, *line))
    other = next(names[cell] for cell in puzzle.game.legal() if cell != puzzle.steps[0].answer)
    mistake = judgement_view(puzzle, judge(puzzle, [other]), [other])
    played = (other,) if mistake.reply is None else (other, mistake.reply)
    assert mistake.position.moves == (*puzzle.game.move_names, *played)
    assert mistake.line is None
    assert (mistake.position.turn is None) == (mistake.position.outcome is not None)


def test_minimax_names_the_cells() -> None:
    view = minimax_view(game := Game.of("classic", "b2 a1"), explain(game))
    assert (view.turn, view.outcome) == ("X", None)
    assert tuple(child.cell for child in view.children) == game.legal_names()
    over = Game.of("classic", "a1 a2 b1 b2 c1")
    late = Game.of("classic", "a1 b1 b2 c2 b3 c3")
    win = minimax_view(late, explain(late, depth=2)).children[1].children[0]
    assert (win.cell, win.outcome and win.outcome.cells, win.children) == ("c1", ("c1", "c2", "c3"), ())
    assert minimax_view(over, explain(over)).turn is None
