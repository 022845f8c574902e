"""Codes and sessions of the admin page: how long they work, and on which nodes."""

from __future__ import annotations

from noughts.app.players.passes import CODE_MS, MAX_RECENT, SESSION_MS, Passes
from tests.support.node import Cluster


async def test_a_code_works_for_ten_minutes_and_a_session_for_twelve_hours(cluster: Cluster) -> None:
    """Another node of the store accepts both."""
    clock = cluster.clock
    one, two = Passes(cluster.store, clock), Passes(cluster.store, clock)
    (late, late_ms), (code, _) = await one.new_code(), await one.new_code()
    clock.ms += CODE_MS - 1
    session, expires_ms = await two.new_session(code) or ("", 0)
    assert await one.new_session(code) is None, "it works once"
    clock.ms += 1
    assert late_ms == clock.ms
    assert await one.new_session(late) is None
    clock.ms = expires_ms - 1
    assert SESSION_MS == 12 * 60 * 60 * 1000
    for node in (one, two):
        assert await node.is_session(session)
        assert node.is_recent(session)
    clock.ms += 1
    for node in (one, two):
        assert not await node.is_session(session)
        assert not node.is_recent(session)


async def test_what_is_no_session_is_rejected(cluster: Cluster) -> None:
    passes = Passes(cluster.store, cluster.clock)
    code, _ = await passes.new_code()
    for token in (None, "", "x", code, 65 * "x"):
        assert not await passes.is_session(token)
        assert not passes.is_recent(token)


async def test_a_node_remembers_few_sessions(cluster: Cluster) -> None:
    passes = Passes(cluster.store, cluster.clock)
    sessions = []
    for _ in range(MAX_RECENT + 1):
        code, _ = await passes.new_code()
        session, _ = await passes.new_session(code) or ("", 0)
        assert await passes.is_session(session)
        sessions.append(session)
    assert [passes.is_recent(session) for session in sessions] == [False] + MAX_RECENT * [True]
