"""Bans: kept in the store, checked in memory, announced to other nodes."""

from __future__ import annotations

import pytest

from noughts.app.players.bans import Bans
from noughts.store.relay import Notice, SingleNodeRelay
from tests.support.node import Cluster


async def test_a_ban_is_kept_and_can_be_lifted(cluster: Cluster) -> None:
    bans = Bans(cluster.store, SingleNodeRelay())
    for address in ("203.0.113.9", "2001:db8::9"):
        await bans.ban(address)
    await bans.ban("203.0.113.9")
    after_restart = Bans(cluster.store, SingleNodeRelay())
    assert after_restart.listed() == []
    await after_restart.read()
    assert after_restart.listed() == bans.listed() == ["2001:db8::9", "203.0.113.9"]
    await after_restart.lift("203.0.113.9")
    await after_restart.lift("198.51.100.1")  # which was not banned
    assert after_restart.listed() == list(await cluster.store.banned()) == ["2001:db8::9"]


@pytest.mark.parametrize("banned", ["203.0.113.9", "::ffff:cb00:7109", "::ffff:203.0.113.9"])
async def test_a_ban_is_of_a_single_address(cluster: Cluster, banned: str) -> None:
    """The operator may have named an IPv4 address as an IPv6 address. No network is banned, not even a /64."""
    bans = Bans(cluster.store, SingleNodeRelay())
    assert not bans.holds("203.0.113.9")
    await bans.ban(banned)
    await bans.ban("2001:db8::9")
    holds = {address: bans.holds(address) for address in ("203.0.113.9", "203.0.113.8", "2001:db8::9", "2001:db8::a")}
    assert holds == {"203.0.113.9": True, "203.0.113.8": False, "2001:db8::9": True, "2001:db8::a": False}
    assert not bans.holds("unknown")


async def test_other_nodes_hear_of_bans(cluster: Cluster) -> None:
    bans, other = Bans(cluster.store, cluster.exchange.link("one")), cluster.exchange.link("two")
    await bans.ban("203.0.113.9")
    await bans.lift("203.0.113.9")
    notices = [await other.received() for _ in range(2)]
    assert notices == [Notice("banned", "203.0.113.9"), Notice("unbanned", "203.0.113.9")]
