"""The operator's rules for rooms."""

from __future__ import annotations

import msgspec
import pytest

from noughts.room.policy import Policy

DAY_MS = 86_400_000


def test_the_rules_of_a_server_without_settings() -> None:
    """A server without settings has the documented times, chat, and no engine."""
    policy = Policy()
    assert (policy.grace_ms, policy.engine_pace_ms, policy.engines_pace_ms) == (30_000, 500, 1_000)
    assert (policy.waiting_ms, policy.finished_ms, policy.playing_ms) == (DAY_MS, DAY_MS, 7 * DAY_MS)
    assert policy.abandoned_open_ms == 45_000
    assert policy.chat
    assert not policy.levels


def test_a_policy_is_frozen() -> None:
    """The rules of a server do not change while it runs."""
    policy = Policy()
    with pytest.raises(AttributeError):
        policy.chat = False  # type: ignore[misc]
    with pytest.raises(TypeError):
        policy.levels["classic"] = ()  # type: ignore[index]
    assert msgspec.structs.replace(policy, chat=False).chat is False
