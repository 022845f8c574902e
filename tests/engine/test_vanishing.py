"""Vanishing, solved backwards: every value is proved here from the rules alone.

Values with plies are right everywhere if they agree with their neighbours everywhere. A position is a win in ``n`` if
its quickest reply is lost in ``n - 1``. It is lost in ``n`` if all replies win and the slowest takes ``n - 1``. It is a
draw if neither holds. By induction over ``n`` the kernel can then neither miss nor invent a win or a loss.
"""

from __future__ import annotations

import random
from collections.abc import Set
from functools import cache, partial

import pytest

from noughts.engine.vanishing import VanishingKernel
from noughts.engine.verdict import UNKNOWN, Analysis, Verdict
from noughts.rules.game import Game, new_game, replay, replay_names, start
from noughts.rules.position import FamilyPosition
from noughts.rules.variant import VARIANTS, Variant
from tests.support.budgets import TOLERANCE_S, endless, overrun_s, readings
from tests.support.engine_games import RecordingRandom, game_at

VANISHING = VARIANTS["vanishing"]
SMALL = (
    Variant("fading-4x2", "", "", (4, 2), 3, marks_kept=3),
    Variant("fading-4x2-misere", "", "", (4, 2), 3, marks_kept=3, misere=True),
    Variant("fading-3x3-misere", "", "", (3, 3), 2, marks_kept=2, misere=True),
)
LARGE = Variant("fading-5x5", "", "", (5, 5), 4, marks_kept=5)
REPEATING = "a2 a1 c2 c1 a3 b3 b1 a2 b2 a1 c2 c1 a3 b3 b1 b2 a2 a1 c2 c1 a3 b3"
"""After these moves the only winning move, b1, repeats a position for the third time."""

Ages = tuple[int, ...]


@pytest.fixture(scope="module")
def kernel() -> VanishingKernel:
    return VanishingKernel(VANISHING)


def begin(variant: Variant) -> FamilyPosition:
    position = start(variant)
    assert isinstance(position, FamilyPosition)
    return position


@cache
def positions_in_play(variant: Variant) -> dict[Ages, FamilyPosition]:
    """Return every position in play by its ages, which determine all but the names of the sides."""
    positions: dict[Ages, FamilyPosition] = {(): begin(variant)}
    queue = [begin(variant)]
    while queue:
        position = queue.pop()
        for cell in position.legal():
            after = position.play(cell)
            if after.ages not in positions and after.ended(cell) is None:
                positions[after.ages] = after
                queue.append(after)
    return positions


def check_everywhere(kernel: VanishingKernel) -> tuple[int, int]:
    """Check each position against those after its moves; return the number of positions and the longest win."""
    misere = kernel.variant.misere
    positions = positions_in_play(kernel.variant)
    analyses = {ages: kernel.analyse(position, endless()) for ages, position in positions.items()}
    longest = 0
    for ages, position in positions.items():
        verdict, best, _ = analyses[ages]
        assert verdict.proof == "exact"
        moves: dict[int, Verdict] = {}
        for cell in position.legal():
            after = position.play(cell)
            if after.ended(cell) is None:
                moves[cell] = analyses[after.ages].verdict
            else:
                moves[cell] = Verdict("win" if misere else "loss", 0, "exact")
        lost = {cell: reply.plies or 0 for cell, reply in moves.items() if reply.value == "loss"}
        drawn = [cell for cell, reply in moves.items() if reply.value == "draw"]
        if lost:
            assert verdict == Verdict("win", min(lost.values()) + 1, "exact")
            assert best == tuple(lost)
        elif drawn:
            assert verdict == Verdict("draw", None, "exact")
            assert best == tuple(drawn)
        else:
            assert verdict == Verdict("loss", max(reply.plies or 0 for reply in moves.values()) + 1, "exact")
            assert best == position.legal()
        if verdict.value == "win":
            longest = max(longest, verdict.plies or 0)
    return len(positions), longest


def test_every_value_agrees_with_its_neighbours(kernel: VanishingKernel) -> None:
    positions, longest = check_everywhere(kernel)
    assert positions == 66_682
    assert longest == 17
    assert kernel.positions(endless()) == 73_450  # ended games included


@pytest.mark.parametrize("variant", SMALL, ids=lambda variant: variant.key)
def test_values_agree_on_other_boards_and_in_misere(variant: Variant) -> None:
    check_everywhere(VanishingKernel(variant))


def test_x_wins_in_13_plies_only_by_opening_on_an_edge(kernel: VanishingKernel) -> None:
    verdict, best, _ = kernel.analyse(start(VANISHING), endless())
    assert verdict == ("win", 13, "exact")
    assert best == (1, 3, 5, 7)
    for cell in (0, 2, 4, 6, 8):
        assert kernel.analyse(start(VANISHING).play(cell), endless()).verdict == ("draw", None, "exact")


def test_it_wins_soonest_loses_latest_and_keeps_the_value(kernel: VanishingKernel) -> None:
    rng = random.Random(2)
    for position in rng.sample(list(positions_in_play(VANISHING).values()), 4_000):
        verdict = kernel.analyse(position, endless()).verdict
        recorder = RecordingRandom(3)
        assert kernel.choose(game_at(position), endless(), recorder).verdict == verdict
        for cell in recorder.options:
            after = position.play(cell)
            if after.ended(cell) is not None:
                assert verdict.plies == 1
                continue
            reply = kernel.analyse(after, endless()).verdict
            assert reply.plies == (None if verdict.plies is None else verdict.plies - 1)
            assert reply.value == {"win": "loss", "draw": "draw", "loss": "win"}[verdict.value]


def test_of_equal_moves_it_takes_one_with_the_most_traps(kernel: VanishingKernel) -> None:
    different = 0
    for position in random.Random(4).sample(list(positions_in_play(VANISHING).values()), 1_500):
        verdict, best, _ = kernel.analyse(position, endless())
        if verdict.value != "draw" or len(best) == 1:
            continue
        mistakes = {}
        for cell in best:
            after = position.play(cell)
            mistakes[cell] = len(after.legal()) - len(kernel.analyse(after, endless()).best)
        recorder = RecordingRandom(5)
        kernel.choose(game_at(position), endless(), recorder)
        assert sorted(recorder.options) == [cell for cell in best if mistakes[cell] == max(mistakes.values())]
        different += min(mistakes.values()) < max(mistakes.values())
    assert different > 5


# -- repetition -------------------------------------------------------------------------------------------------------

State = tuple[Ages, int]
"""A position as a repetition needs it: the ages, and the parity of the ply."""


def state_of(position: FamilyPosition) -> State:
    return position.ages, position.ply & 1


def path(origin: State, target: State, avoided: Set[State]) -> list[int] | None:
    """Return the shortest moves, at least one, from a position in play to another that avoid some positions."""
    positions = positions_in_play(VANISHING)
    moves: dict[State, tuple[State, int]] = {}
    queue = [origin]
    for state in queue:  # the list grows during the loop
        ages, parity = state
        staying = ages[1:] if len(ages) == 6 else ages
        for cell in range(9):
            after = ((*staying, cell), 1 - parity)
            if cell in ages or after[0] not in positions or after in moves:
                continue
            if after != target and after in avoided:
                continue
            moves[after] = (state, cell)
            if after == target:
                cells = [cell]
                while state != origin:
                    state, cell = moves[state]
                    cells.append(cell)
                return cells[::-1]
            queue.append(after)
    return None


def game_with_repetition(repeated: State, last: State) -> Game | None:
    """Return a game that visits one position twice, every other one once, and is now at ``last``; None without one."""
    game = new_game(VANISHING)
    visited = {state_of(begin(VANISHING)), last}
    for target in (repeated, repeated, last):
        assert isinstance(game.position, FamilyPosition)
        cells = path(state_of(game.position), target, visited)
        if cells is None:
            return None
        for cell in cells:
            game = game.play(cell)
            assert isinstance(game.position, FamilyPosition)
            visited.add(state_of(game.position))
    assert game.outcome is None
    return game


def test_a_win_that_a_repetition_prevents_becomes_a_draw(kernel: VanishingKernel) -> None:
    game = replay_names(VANISHING, REPEATING.split())
    verdict, best, _ = kernel.analyse(game.position, endless())
    assert (verdict.value, best) == ("win", (1,))  # the verdict is about the position alone
    assert game.play(1).outcome is not None  # but b1 is the third visit
    choice = kernel.choose(game, endless(), random.Random(1))
    assert choice.cell != 1
    assert choice.verdict == verdict
    assert game.play(choice.cell).outcome is None
    assert kernel.analyse(game.position.play(choice.cell), endless()).verdict.value == "draw"


@pytest.mark.search
def test_a_game_with_repetitions_is_solved_within_the_time(kernel: VanishingKernel) -> None:
    game = replay_names(VANISHING, REPEATING.split())
    kernel.analyse(game.position, endless())
    for budget_s in (0.0, 0.02, 0.1):
        assert overrun_s(partial(kernel.choose, game, rng=random.Random(1)), budget_s) <= TOLERANCE_S


@pytest.mark.search
def test_a_lost_position_is_saved_by_a_repetition(kernel: VanishingKernel, whole: bool) -> None:
    """One move of a lost position leads to a position that was visited twice: it draws."""
    rng = random.Random(8)
    candidates = list(positions_in_play(VANISHING).values())
    saved = 0
    while saved < (3 if whole else 1):
        position = rng.choice(candidates)
        if kernel.analyse(position, endless()).verdict.value != "loss":
            continue
        moves = [cell for cell in position.legal() if position.play(cell).ended(cell) is None]
        target = position.play(rng.choice(moves))
        game = game_with_repetition(state_of(target), state_of(position))
        if game is None:
            continue
        saved += 1
        cell = kernel.choose(game, endless(), rng).cell
        outcome = game.play(cell).outcome
        assert outcome is not None
        assert outcome.reason == "repetition"


def test_the_same_marks_with_the_other_side_to_move_are_no_repetition(kernel: VanishingKernel) -> None:
    position = replay_names(VANISHING, REPEATING.split()).position
    assert isinstance(position, FamilyPosition)
    ages, parity = state_of(position.play(1))
    exchanged = game_with_repetition((ages, 1 - parity), state_of(position))
    repeated = game_with_repetition((ages, parity), state_of(position))
    assert exchanged is not None
    assert repeated is not None
    assert kernel.choose(exchanged, endless(), random.Random(1)).cell == 1
    assert kernel.choose(repeated, endless(), random.Random(1)).cell != 1


# -- the budget -------------------------------------------------------------------------------------------------------


def test_short_searches_go_on_where_the_last_one_stopped() -> None:
    """A review divides its time among the positions of a game, and none of the shares may be enough alone."""
    kernel = VanishingKernel(VANISHING)
    values = [kernel.analyse(start(VANISHING), readings(5)).verdict.value for _ in range(40)]
    assert values[:2] == ["unknown", "unknown"]
    assert values[-1] == "win"


def test_without_time_to_solve_again_it_plays_as_if_nothing_was_repeated(kernel: VanishingKernel) -> None:
    kernel.analyse(start(VANISHING), endless())
    game = replay_names(VANISHING, REPEATING.split())
    for number in (0, 1, 3):
        assert kernel.choose(game, readings(number), random.Random(1)).cell == 1


def test_a_board_too_large_to_solve_gets_one_ply_moves() -> None:
    kernel = VanishingKernel(LARGE)
    game = replay(LARGE, (0, 5, 1, 6, 2, 10))
    assert kernel.analyse(game.position, endless()) == Analysis(UNKNOWN, ())
    assert kernel.choose(game, endless(), random.Random(1)) == (3, UNKNOWN)  # it completes the line


def test_other_variants_are_rejected() -> None:
    with pytest.raises(ValueError, match="vanish"):
        VanishingKernel(VARIANTS["classic"])
