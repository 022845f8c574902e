"""Positions of the family: what may be filled, what a move does, what ends a game by marks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from noughts.rules.game import new_game, replay_names, start
from noughts.rules.outcome import Outcome
from noughts.rules.position import FamilyPosition, Position, sides
from noughts.rules.variant import VARIANTS, Variant

CLASSIC, MISERE, VANISHING = VARIANTS["classic"], VARIANTS["misere"], VARIANTS["vanishing"]


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


# -- three by three ---------------------------------------------------------------------------------------------------


def test_three_by_three_has_5478_positions() -> None:
    assert len(reachable(start(CLASSIC))) == 5_478


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
            assert variant.nested or (position.boards, position.forced) == (None, None)
            assert position.playable == sum(1 << cell for cell in legal)
            assert [cell for cell in range(variant.cells) if position.allows(cell)] == list(legal)
            game = game.play(rng.choice(legal))


# -- flags ------------------------------------------------------------------------------------------------------------


def test_in_a_cube_marks_fall_within_their_layer() -> None:
    cube = Variant("drop-cube", "", "", (3, 3, 3), 3, gravity=True)
    assert new_game(cube).legal_names() == tuple(f"{column}3.{layer}" for layer in (1, 2, 3) for column in "abc")
    assert replay_names(cube, ["a3.2", "a2.2"]).legal_names()[3:6] == ("a1.2", "b3.2", "c3.2")


def test_in_gomoku_six_in_a_line_win_too() -> None:
    game = replay_names(VARIANTS["gomoku"], ["a1", "a15", "b1", "b15", "c1", "c15", "e1", "e15", "f1", "f15", "d1"])
    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.cells) == ("X", tuple(range(6)))


# -- vanishing --------------------------------------------------------------------------------------------------------


def test_the_oldest_mark_leaves_as_the_fourth_lands() -> None:
    moves = ["a1", "b2", "c1", "c3", "b3", "a2"]
    assert all(replay_names(VANISHING, moves[:count]).position.fading is None for count in range(6))
    before = replay_names(VANISHING, moves)
    assert (before.position.x, before.position.o) == (0b010_000_101, 0b100_011_000)
    assert before.position.fading == 0
    after = before.play(5)
    assert after.position.x == 0b010_100_100  # a1 has left
    assert after.position.fading == 4  # now O's oldest is next


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
