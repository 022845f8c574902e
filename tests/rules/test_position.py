"""Positions of the family: what may be filled, what a move does, what ends a game by marks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from noughts.rules.game import Game, new_game, replay_names, start
from noughts.rules.outcome import Outcome
from noughts.rules.position import FamilyPosition, Position, sides
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, MISERE, VANISHING = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["vanishing"]
FAMILY = [variant for variant in VARIANTS.values() if not variant.nested]


def reachable(position: Position) -> dict[object, tuple[Position, Outcome | None]]:
    """Return every position that play from this one can reach, by key, with its outcome."""
    positions: dict[object, tuple[Position, Outcome | None]] = {position.key: (position, None)}
    open_positions = [position]
    while open_positions:
        before = open_positions.pop()
        for cell in before.legal():
            after = before.play(cell)
            if after.key not in positions:
                outcome = after.ended(cell)
                positions[after.key] = (after, outcome)
                if outcome is None:
                    open_positions.append(after)
    return positions


def line_of(game: Game) -> set[str]:
    """Return the names of the cells that ended the game."""
    assert game.outcome is not None
    return {game.variant.names[cell] for cell in game.outcome.cells}


# -- three by three ---------------------------------------------------------------------------------------------------


def test_three_by_three_has_5478_positions() -> None:
    assert len(reachable(start(CLASSIC))) == 5_478


def test_765_of_these_positions_differ_by_more_than_symmetry() -> None:
    quarter, mirror = (2, 5, 8, 1, 4, 7, 0, 3, 6), (2, 1, 0, 5, 4, 3, 8, 7, 6)
    boards = set()
    for position, _ in reachable(start(CLASSIC)).values():
        board = "".join("X" if position.x >> cell & 1 else "O" if position.o >> cell & 1 else "." for cell in range(9))
        images = []
        for _ in range(4):
            board = "".join(board[cell] for cell in quarter)
            images += [board, "".join(board[cell] for cell in mirror)]
        assert len(set(images)) <= 8
        boards.add(min(images))
    assert len(boards) == 765


def games_by_outcome(position: Position, last: int | None, counts: dict[object, Counter[object]]) -> Counter[object]:
    """Count the games from here by outcome; and, by number, the move sequences of each length."""
    outcome = None if last is None else position.ended(last)
    if outcome is not None:
        return Counter({(outcome.winner, outcome.reason): 1, position.ply: 1})
    if position.key not in counts:
        total: Counter[object] = Counter({position.ply: 1})
        for cell in position.legal():
            total += games_by_outcome(position.play(cell), cell, counts)
        counts[position.key] = total
    return counts[position.key]


@pytest.mark.parametrize("variant", [CLASSIC, MISERE], ids=["classic", "misere"])
def test_three_by_three_has_255168_games(variant: Variant) -> None:
    counts = games_by_outcome(start(variant), None, {})
    first, second = ("X", "O") if variant is CLASSIC else ("O", "X")
    assert counts[first, "line"] == 131_184
    assert counts[second, "line"] == 77_904
    assert counts[None, "full_board"] == 46_080
    sequences = [counts[ply] for ply in range(10)]
    assert sequences == [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]


def test_the_turn_passes_and_the_mark_is_on_its_cell() -> None:
    position = start(CLASSIC)
    assert (position.turn, position.ply, position.legal()) == ("X", 0, tuple(range(9)))
    position = position.play(4)
    assert (position.turn, position.ply, position.x, position.o) == ("O", 1, 1 << 4, 0)
    position = position.play(0)
    assert (position.turn, position.x, position.o) == ("X", 1 << 4, 1 << 0)
    assert position.legal() == (1, 2, 3, 5, 6, 7, 8)


def test_a_position_cannot_be_changed() -> None:
    before = start(CLASSIC)
    before.play(4)
    assert before == FamilyPosition(CLASSIC)
    with pytest.raises(AttributeError):
        before.x = 1  # type: ignore[misc]


def test_equal_positions_have_one_hash() -> None:
    positions = {replay_names(CLASSIC, moves.split()).position for moves in ("a1 b2 c3", "c3 b2 a1", "a1 b2 c2")}
    assert len(positions) == 2
    assert FamilyPosition(CLASSIC) != FamilyPosition(MISERE)


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda variant: variant.key)
def test_playable_legal_and_allows_agree(variant: Variant) -> None:
    rng = random.Random(variant.key)
    for _ in range(2):
        game = new_game(variant)
        while game.outcome is None:
            position = game.position
            legal = position.legal()
            assert list(legal) == sorted(set(legal))
            assert position.playable == sum(1 << cell for cell in legal)
            assert [cell for cell in range(variant.cells) if position.allows(cell)] == list(legal)
            game = game.play(rng.choice(legal))


@pytest.mark.parametrize("variant", FAMILY, ids=lambda variant: variant.key)
def test_the_family_has_no_small_boards(variant: Variant) -> None:
    position = start(variant)
    assert (position.boards, position.forced) == (None, None)


def test_a_line_on_the_last_cell_is_a_line() -> None:
    game = replay_names(CLASSIC, ["a1", "b1", "c1", "a2", "b2", "a3", "c2", "b3", "c3"])
    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.reason) == ("X", "line")
    assert line_of(game) == {"a1", "b2", "c3", "c1", "c2"}  # two lines at once


# -- flags ------------------------------------------------------------------------------------------------------------


def test_in_misere_the_side_that_completes_a_line_loses() -> None:
    moves = ["a1", "a2", "b1", "b2", "c1"]
    assert replay_names(CLASSIC, moves).outcome == Outcome("X", "line", (0, 1, 2))
    assert replay_names(MISERE, moves).outcome == Outcome("O", "line", (0, 1, 2))


def test_with_gravity_a_mark_falls_to_the_lowest_free_cell() -> None:
    variant = VARIANTS["four-in-a-row"]
    game = new_game(variant)
    assert game.legal_names() == ("a6", "b6", "c6", "d6", "e6", "f6", "g6")
    game = replay_names(variant, ["d6", "d5", "d4", "d3", "d2", "d1", "a6"])
    assert game.legal_names() == ("a5", "b6", "c6", "e6", "f6", "g6")


def test_in_a_cube_marks_fall_within_their_layer() -> None:
    cube = Variant("drop-cube", "", "", (3, 3, 3), 3, gravity=True)
    assert new_game(cube).legal_names() == tuple(f"{column}3.{layer}" for layer in (1, 2, 3) for column in "abc")
    assert replay_names(cube, ["a3.2", "a2.2"]).legal_names()[3:6] == ("a1.2", "b3.2", "c3.2")


def test_in_gomoku_six_in_a_line_win_too() -> None:
    game = replay_names(VARIANTS["gomoku"], ["a1", "a15", "b1", "b15", "c1", "c15", "e1", "e15", "f1", "f15", "d1"])
    assert game.outcome is not None
    assert (game.outcome.winner, line_of(game)) == ("X", {"a1", "b1", "c1", "d1", "e1", "f1"})


# -- vanishing --------------------------------------------------------------------------------------------------------


def test_the_oldest_mark_leaves_as_the_fourth_lands() -> None:
    before = replay_names(VANISHING, ["a1", "b2", "c1", "c3", "b3", "a2"])
    assert (before.position.x, before.position.o) == (0b010_000_101, 0b100_011_000)
    assert before.position.fading == 0
    after = before.play(5)
    assert after.position.x == 0b010_100_100  # a1 has left
    assert after.position.fading == 4  # now O's oldest is next


def test_nothing_fades_before_each_side_has_its_three() -> None:
    for count in range(6):
        assert replay_names(VANISHING, ["a1", "b2", "c1", "c3", "b3", "a2"][:count]).position.fading is None


def test_the_cell_of_the_leaving_mark_is_not_free_for_that_same_move() -> None:
    game = replay_names(VANISHING, ["a1", "b2", "c1", "c3", "b3", "a2"])
    assert 0 not in game.legal()
    assert 0 in game.play(5).legal()


def test_a_line_counts_only_after_the_oldest_mark_has_left() -> None:
    # X holds a1, b1 and b3, and fills c1: the line would need a1, which leaves.
    without_line = replay_names(VANISHING, ["a1", "a2", "b1", "c3", "b3", "c2", "c1"])
    assert without_line.outcome is None
    # Here a3 leaves instead.
    with_line = replay_names(VANISHING, ["a3", "a2", "a1", "c3", "b1", "c2", "c1"])
    assert with_line.outcome == Outcome("X", "line", (0, 1, 2))


def test_vanishing_has_66682_positions_in_play() -> None:
    # The ages alone identify a position in play: the turn only says which side is X.
    in_play = {position.key[3] for position, outcome in reachable(start(VANISHING)).values() if outcome is None}  # type: ignore[index]
    assert len(in_play) == 66_682


def test_positions_whose_marks_differ_in_age_have_different_keys() -> None:
    first = replay_names(VANISHING, ["a1", "a2", "b2", "b1"]).position
    second = replay_names(VANISHING, ["b2", "a2", "a1", "b1"]).position
    assert (first.x, first.o) == (second.x, second.o)
    assert first.key != second.key


def test_positions_that_differ_in_the_turn_have_different_keys() -> None:
    assert FamilyPosition(CLASSIC, 1, 2, 2).key != FamilyPosition(CLASSIC, 1, 2, 3).key


def test_the_sides_of_a_position() -> None:
    """The side to move comes first."""
    first = replay_names(CLASSIC, ["a1", "a2"]).position
    assert sides(first) == (first.x, first.o)
    second = first.play(4)
    assert sides(second) == (second.o, second.x)
