"""The table of an actor's states and inputs, walked whole."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import pytest

from noughts.app.machines.actor import Actor, following
from noughts.app.machines.actor_states import TABLE, Effect, IllegalInputError, Input, State

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


def after(state: State, input: Input) -> tuple[State, tuple[Effect, ...]]:
    return TABLE[state][input]


def pairs() -> Iterable[tuple[State, Input]]:
    return [(state, input) for state in STATES for input in INPUTS]


@pytest.mark.parametrize(("state", "input"), pairs())
def test_an_input_is_legal_or_raises(state: State, input: Input) -> None:
    """It raises before the actor changes anything."""
    if input not in LEGAL[state]:
        assert input not in TABLE[state]
        with pytest.raises(IllegalInputError, match=f"{input} while {state}"):
            following(state, input)
        return
    next_state, effects = after(state, input)
    assert next_state in STATES
    assert set(effects) <= set(get_args(Effect))


def test_every_state_is_reached_from_the_first() -> None:
    reached: set[State] = {"ready"}
    for _ in STATES:
        reached |= {after(state, input)[0] for state in reached for input in LEGAL[state]}
    assert reached == set(STATES)


def test_every_effect_is_used_and_carried_out_by_the_actor() -> None:
    used = {effect for state, input in pairs() if input in LEGAL[state] for effect in after(state, input)[1]}
    assert used == set(get_args(Effect)) == set(Actor.EFFECTS)


@pytest.mark.parametrize("state", ["committing", "overtaken", "closed"])
@pytest.mark.parametrize("input", ANSWERS)
def test_each_answer_ends_the_command_that_is_under_way(state: State, input: Input) -> None:
    """It is answered, rejected or waits again: exactly one of them."""
    effects = after(state, input)[1]
    assert len({"answer", "fail", "requeue"} & set(effects)) == 1


@pytest.mark.parametrize(("state", "input"), pairs())
def test_a_waiting_command_is_not_forgotten(state: State, input: Input) -> None:
    """Whatever leads to a state in which nothing is under way looks at the commands that wait, or rejects them."""
    if input not in LEGAL[state]:
        return
    next_state, effects = after(state, input)
    at_work = {"ready": False, "stale": False, "closed": False}.get(next_state, True)
    if not at_work and state not in ("ready", "stale", "closed"):
        pending = state in ("committing", "overtaken") and input in MESSAGES  # its answer is still to come
        assert pending or {"resume", "give_up", "dismiss"} & set(effects)


@pytest.mark.parametrize(("state", "input"), pairs())
def test_a_value_that_may_have_changed_is_read_before_the_next_step(state: State, input: Input) -> None:
    """Once messages were missed, an actor becomes ready only by reading."""
    if state in ("overtaken", "behind", "stale") and input in LEGAL[state]:
        assert after(state, input)[0] != "ready"


@pytest.mark.parametrize(("state", "input"), pairs())
def test_a_read_or_a_commit_begins_only_when_none_is_under_way(state: State, input: Input) -> None:
    if input not in LEGAL[state]:
        return
    next_state, effects = after(state, input)
    if {"read", "decode"} & set(effects):
        assert next_state in ("loading", "behind")
        assert state not in ("loading", "behind") or input == "loaded"
        assert state not in ("committing", "overtaken") or input in ANSWERS
    if "commit" in effects:
        assert (state, next_state) == ("ready", "committing")


def test_a_closed_value_stays_closed() -> None:
    for input in LEGAL["closed"]:
        assert after("closed", input)[0] == "closed"
