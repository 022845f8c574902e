"""Vanishing, solved backwards: every value is proved here from the rules alone.

Values with plies are right everywhere if they agree with their neighbours everywhere: a position is a win in ``n`` when
its quickest reply is lost in ``n - 1``, lost in ``n`` when all replies win and the slowest takes ``n - 1``, a draw when
neither holds. By induction over ``n`` no win or loss can then be missed or made up.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Set
from typing import Any

import pytest

from noughts.engine.budget import Budget
from noughts.engine.retrograde import VanishingKernel
from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.rules.game import new_game, replay_names, start
from noughts.rules.position import Position
from noughts.rules.variant import VARIANTS, Variant

VANISHING = VARIANTS["vanishing"]
SMALL = (
    Variant("fading-4x2", "", "", (4, 2), 3, marks_kept=3),
    Variant("fading-4x2-misere", "", "", (4, 2), 3, marks_kept=3, misere=True),
    Variant("fading-3x3-misere", "", "", (3, 3), 2, marks_kept=2, misere=True),
)
ROUND_AND_ROUND = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3"


class Offered(random.Random):
    """Remembers what it was asked to choose from."""

    options: Any = ()

    def choice(self, seq: Any) -> Any:
        self.options = seq
        return super().choice(seq)


def plenty() -> Budget:
    return Budget(1.0, lambda: 0.0)


@pytest.fixture(scope="module")
def kernel() -> VanishingKernel:
    return VanishingKernel(VANISHING)


def walk(variant: Variant) -> dict[tuple[int, ...], Position]:
    """Every position in play by its ages, which tell all but the names of the sides."""
    found: dict[tuple[int, ...], Position] = {(): start(variant)}
    fresh = [start(variant)]
    while fresh:
        position = fresh.pop()
        for cell in position.legal():
            after = position.play(cell)
            if after.ages not in found and after.ended(cell) is None:  # type: ignore[attr-defined]
                found[after.ages] = after  # type: ignore[attr-defined]
                fresh.append(after)
    return found


def check_everywhere(kernel: VanishingKernel) -> tuple[int, int]:
    """Checks each position in play against those that it leads to; how many there are, and the longest win."""
    misere = kernel.variant.misere
    positions = walk(kernel.variant)
    told = {ages: kernel.analyse(position, plenty()) for ages, position in positions.items()}
    longest = 0
    for ages, position in positions.items():
        verdict, best = told[ages]
        assert verdict.proof == "exact"
        moves: dict[int, Verdict] = {}
        for cell in position.legal():
            after = position.play(cell)
            if after.ended(cell) is None:
                moves[cell] = told[after.ages].verdict  # type: ignore[attr-defined]
            else:
                moves[cell] = Verdict("win" if misere else "loss", 0, "exact")
        lost = {cell: reply.plies for cell, reply in moves.items() if reply.value == "loss"}
        drawn = [cell for cell, reply in moves.items() if reply.value == "draw"]
        if lost:
            assert verdict == ("win", min(lost.values()) + 1, "exact")  # type: ignore[type-var,operator]
            assert best == tuple(lost)
        elif drawn:
            assert verdict == ("draw", None, "exact")
            assert best == tuple(drawn)
        else:
            assert verdict == ("loss", max(reply.plies for reply in moves.values()) + 1, "exact")  # type: ignore[type-var,operator]
            assert best == position.legal()
        if verdict.value == "win":
            longest = max(longest, verdict.plies or 0)
    return len(positions), longest


def test_every_value_agrees_with_its_neighbours(kernel: VanishingKernel) -> None:
    positions, longest = check_everywhere(kernel)
    assert positions == 66_682
    assert longest == 17
    assert kernel.positions(plenty()) == 73_450  # with those in which the game is over


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.key)
def test_so_it_is_with_other_boards_and_in_misere(variant: Variant) -> None:
    check_everywhere(VanishingKernel(variant))


def test_x_wins_in_13_plies_by_opening_on_an_edge_and_only_so(kernel: VanishingKernel) -> None:
    verdict, best = kernel.analyse(start(VANISHING), plenty())
    assert verdict == ("win", 13, "exact")
    assert best == (1, 3, 5, 7)
    for cell in (0, 2, 4, 6, 8):
        assert kernel.analyse(start(VANISHING).play(cell), plenty()).verdict == ("draw", None, "exact")


def test_from_the_empty_board_perfect_play_wins_against_every_line(kernel: VanishingKernel) -> None:
    seen: set[Hashable] = set()
    longest = 0
    fresh = [new_game(VANISHING)]
    while fresh:
        game = fresh.pop()
        rng = Offered(1)
        kernel.choose(game.position, plenty(), rng)
        for cell in rng.options:  # whichever of its equals it takes
            ours = game.play(cell)
            if ours.outcome is not None:
                assert ours.outcome.winner == "X"
                longest = max(longest, ours.ply)
                continue
            for reply in ours.legal():
                theirs = ours.play(reply)
                assert theirs.outcome is None
                if theirs.position.key not in seen:
                    seen.add(theirs.position.key)
                    fresh.append(theirs)
    assert longest == 13


def test_the_choice_wins_soonest_loses_latest_and_never_gives_value_away(kernel: VanishingKernel) -> None:
    rng = random.Random(2)
    positions = list(walk(VANISHING).values())
    for position in rng.sample(positions, 4_000):
        verdict = kernel.analyse(position, plenty()).verdict
        offered = Offered(3)
        assert kernel.choose(position, plenty(), offered).verdict == verdict
        for cell in offered.options:
            after = position.play(cell)
            if after.ended(cell) is not None:
                assert verdict.plies == 1
                continue
            then = kernel.analyse(after, plenty()).verdict
            assert then.plies == (None if verdict.plies is None else verdict.plies - 1)
            assert then.value == {"win": "loss", "draw": "draw", "loss": "win"}[verdict.value]


def test_of_equal_moves_it_takes_one_with_most_replies_that_go_wrong(kernel: VanishingKernel) -> None:
    told_apart = 0
    for position in random.Random(4).sample(list(walk(VANISHING).values()), 1_500):
        verdict, best = kernel.analyse(position, plenty())
        if verdict.value != "draw" or len(best) == 1:
            continue
        wrong = {}
        for cell in best:
            after = position.play(cell)
            wrong[cell] = len(after.legal()) - len(kernel.analyse(after, plenty()).best)
        offered = Offered(5)
        kernel.choose(position, plenty(), offered)
        assert sorted(offered.options) == [cell for cell in best if wrong[cell] == max(wrong.values())]
        told_apart += min(wrong.values()) < max(wrong.values())
    assert told_apart > 5


# -- repetition -------------------------------------------------------------------------------------------------------


def outcome_of_best_play(position: Position, depth: int, draws: Set[Hashable]) -> int:
    """1, 0 or -1 within ``depth`` plies, by trying everything; entering ``draws`` ends the game drawn."""
    best = -1
    for cell in position.legal():
        after = position.play(cell)
        if after.ended(cell) is not None:
            return 1
        if after.key in draws or depth == 1:
            worth = 0
        else:
            worth = -outcome_of_best_play(after, depth - 1, draws)
        best = max(best, worth)
        if best == 1:
            break
    return best


def test_a_win_that_history_has_spoilt_goes_on_as_a_draw(kernel: VanishingKernel) -> None:
    game = replay_names(VANISHING, ROUND_AND_ROUND.split())
    verdict, best = kernel.analyse(game.position, plenty())
    assert (verdict.value, best) == ("win", (1,))  # as if the game began here
    assert game.play(1).outcome is not None  # but this is the third time
    twice = {key for key in game.seen if game.seen.count(key) == 2}
    choice = kernel.choose_after(game.position, twice, plenty(), random.Random(1))
    assert choice.cell != 1
    assert game.play(choice.cell).outcome is None
    assert kernel.analyse(game.position.play(choice.cell), plenty()).verdict.value == "draw"


def test_with_positions_forbidden_it_still_wins_where_a_win_is_left(kernel: VanishingKernel) -> None:
    rng = random.Random(6)
    candidates = list(walk(VANISHING).values())
    spoilt = kept = 0
    while spoilt < 2 or kept < 2:
        position = rng.choice(candidates)
        verdict, best = kernel.analyse(position, plenty())
        if verdict.plies != 3:
            continue  # longer wins take too long to try out by hand
        draws = {position.play(kernel.choose(position, plenty(), rng).cell).key}
        if len(best) == 1:
            spoilt += 1
            cell = kernel.choose_after(position, draws, plenty(), rng).cell
            values = {move: kernel.analyse(position.play(move), plenty()).verdict.value for move in position.legal()}
            # A draw that goes on, if there is one; else the draw at once, rather than a move that loses.
            assert values[cell] == ("draw" if "draw" in values.values() else "loss")
        elif outcome_of_best_play(position, 5, draws) == 1:
            kept += 1
            cell = kernel.choose_after(position, draws, plenty(), rng).cell
            assert position.play(cell).key not in draws
            assert outcome_of_best_play(position.play(cell), 4, draws) == -1


def test_the_same_marks_with_the_other_side_to_move_are_no_repetition(kernel: VanishingKernel) -> None:
    position = replay_names(VANISHING, ROUND_AND_ROUND.split()).position
    winning = position.play(1)
    x, o, turn, ages = winning.key  # type: ignore[misc]
    other_side = {(o, x, 1 - turn, ages)}
    assert kernel.choose_after(position, other_side, plenty(), random.Random(1)).cell == 1
    assert kernel.choose_after(position, {winning.key}, plenty(), random.Random(1)).cell != 1


# -- the budget -------------------------------------------------------------------------------------------------------


def test_out_of_time_is_unknown_and_still_a_legal_move() -> None:
    cold = VanishingKernel(VANISHING)
    late = Budget(0.0, lambda: 1.0)
    assert cold.analyse(start(VANISHING), late) == (UNKNOWN, ())
    choice = cold.choose(start(VANISHING), late, random.Random(1))
    assert choice.verdict == UNKNOWN
    assert choice.cell in start(VANISHING).legal()
    assert cold.analyse(start(VANISHING), plenty()).verdict.value == "win"  # and it recovers


def test_other_variants_are_refused() -> None:
    with pytest.raises(ValueError, match="vanish"):
        VanishingKernel(VARIANTS["classic"])
