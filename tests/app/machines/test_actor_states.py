"""The table of an actor's states and inputs, walked whole."""

from __future__ import annotations

from typing import get_args

import pytest

from noughts.app.machines.actor_states import TABLE, Effect, Input, State

STATES: tuple[State, ...] = get_args(State)
INPUTS: tuple[Input, ...] = get_args(Input)
MESSAGES: tuple[Input, ...] = ("changed", "removed", "missed")
ANSWERS: tuple[Input, ...] = ("stored", "ended", "known", "conflict", "unknown")
READS: tuple[Input, ...] = ("loaded", "gone", "unread")
LEGAL: dict[State, set[Input]] = {
    "ready": {"command", "stepped", *MESSAGES},
    "committing": {"command", *ANSWERS, *MESSAGES},
    "overtaken": {"command", *ANSWERS, *MESSAGES},
    "stale": {"command", *MESSAGES},
    "loading": {"command", *READS, *MESSAGES},
    "behind": {"command", *READS, *MESSAGES},
    "closed": {"command", *ANSWERS, *MESSAGES},
}
CASES = [(state, input, *TABLE[state][input]) for state in STATES for input in INPUTS if input in LEGAL[state]]
"""Each legal input, with the next state and the effects."""


def test_no_other_input_is_in_the_table() -> None:
    assert {state: set(row) for state, row in TABLE.items()} == LEGAL


def test_every_state_is_reached_from_the_first() -> None:
    reached: set[State] = {"ready"}
    for _ in STATES:
        reached |= {next_state for state, _, next_state, _ in CASES if state in reached}
    assert reached == set(STATES)


def test_every_effect_is_used() -> None:
    assert {effect for *_, effects in CASES for effect in effects} == set(get_args(Effect))


@pytest.mark.parametrize(("state", "input", "next_state", "effects"), CASES)
def test_each_case_keeps_the_promises(
    state: State, input: Input, next_state: State, effects: tuple[Effect, ...]
) -> None:
    if state in ("committing", "overtaken", "closed") and input in ANSWERS:
        # The command that is under way is answered, rejected or waits again: exactly one of them.
        assert len({"answer", "fail", "requeue"} & set(effects)) == 1
    if next_state in ("ready", "stale", "closed") and state not in ("ready", "stale", "closed"):
        # Nothing is under way then: the commands that wait are looked at or rejected, unless an answer is still to come.
        pending = state in ("committing", "overtaken") and input in MESSAGES
        assert pending or {"resume", "give_up", "dismiss"} & set(effects)
    if input == "known" and state != "closed":
        assert "read" in effects  # another node may have stored what was answered before
    if state in ("overtaken", "behind", "stale"):
        assert next_state != "ready"  # once messages were missed, only a read makes an actor ready
    if {"read", "decode"} & set(effects):
        assert next_state in ("loading", "behind")
        assert state not in ("loading", "behind") or input == "loaded"
        assert state not in ("committing", "overtaken") or input in ANSWERS
    if "commit" in effects:
        assert (state, next_state) == ("ready", "committing")
    if state == "closed":
        assert next_state == "closed"
