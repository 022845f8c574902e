"""The judgement of a try: right and wrong moves, the end of a line, and giving up."""

from __future__ import annotations

import pytest

from noughts.engine.verdict import UNKNOWN, Verdict
from noughts.errors import Rejection
from noughts.puzzles.puzzle import Punishment, Puzzle, Step, judge
from noughts.rules.variant import variant_named

CLASSIC = variant_named("classic")


def _cells(names: str) -> tuple[int, ...]:
    return tuple(CLASSIC.index_of[name] for name in names.split())


def _fork() -> Puzzle:
    """X holds a1 and b2, O holds b1 and c3: a2 or a3 forks. Here only a2 is the answer, for a line of two steps."""
    (a2, b3, c2, a3) = _cells("a2 b3 c2 a3")
    steps = (
        Step(a2, c2, {b3: Punishment(Verdict("draw", None, "exact"), a3)}),
        Step(a3, None, {}),
    )
    return Puzzle("one", CLASSIC, "win", 2, _cells("b2 b1 a1 c3"), 3, "exact", steps)


def test_a_right_move_brings_the_reply_and_hides_the_line() -> None:
    judgement = judge(_fork(), ["a2"])
    assert (judgement.right, judgement.done, judgement.line) == (True, False, None)
    assert judgement.reply == CLASSIC.index_of["c2"]
    assert judgement.verdict == Verdict("win", 1, "exact")


def test_the_last_right_move_shows_the_line() -> None:
    judgement = judge(_fork(), ["a2", "c2", "a3"])
    assert (judgement.right, judgement.done, judgement.reply, judgement.verdict) == (True, True, None, None)
    assert judgement.line == _cells("a2 c2 a3")


@pytest.mark.parametrize(
    ("moves", "reply", "verdict"), [("b3", "a3", Verdict("draw", None, "exact")), ("c1", None, UNKNOWN)]
)
def test_a_wrong_move_says_what_punishes_it_if_that_is_proved(moves: str, reply: str | None, verdict: Verdict) -> None:
    judgement = judge(_fork(), moves.split())
    assert (judgement.right, judgement.done, judgement.line, judgement.verdict) == (False, False, None, verdict)
    assert judgement.reply == (None if reply is None else CLASSIC.index_of[reply])


def test_a_wrong_move_that_ends_the_game_has_no_verdict() -> None:
    puzzle = Puzzle("end", CLASSIC, "hold", 1, _cells("b2 a1 c1 a3 a2 c2 b1 b3"), None, "exact", (Step(7, None, {}),))
    judgement = judge(puzzle, ["c3"])
    assert (judgement.right, judgement.reply, judgement.verdict) == (False, None, None)


def test_giving_up_shows_the_line() -> None:
    judgement = judge(_fork(), [], give_up=True)
    assert (judgement.right, judgement.done, judgement.line) == (False, True, _cells("a2 c2 a3"))


@pytest.mark.parametrize(
    ("moves", "code"),
    [
        ("", "bad_message"),
        ("a2 c2", "bad_message"),
        ("a2 c1 a3", "bad_message"),
        ("b3 a3 c2", "bad_message"),
        ("z9", "illegal_move"),
        ("what", "bad_message"),
        ("b2", "illegal_move"),
    ],
)
def test_moves_that_leave_the_line_are_rejected(moves: str, code: str) -> None:
    with pytest.raises(Rejection) as rejected:
        judge(_fork(), moves.split())
    assert rejected.value.code == code
