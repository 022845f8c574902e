"""The rooms that a node has made, by network."""

from __future__ import annotations

import pytest

from noughts.app.runtime.quota import NetworkQuota

HOME, CLUB = "203.0.113.7", "198.51.100.9"


@pytest.fixture
def quota() -> NetworkQuota:
    return NetworkQuota(most_of_address=2)


def test_a_room_counts_until_it_closes(quota: NetworkQuota) -> None:
    for room in ("a", "b"):
        quota.add(room, HOME)
    assert (len(quota), quota.ids_of(HOME), quota.crowded(HOME)) == (2, ("a", "b"), HOME)
    assert quota.crowded(CLUB) is None
    quota.remove("a")
    quota.remove("a")
    assert (len(quota), quota.ids_of(HOME), quota.crowded(HOME)) == (1, ("b",), None)
    quota.remove("b")
    assert quota.ids_of(HOME) == ()


def test_wider_networks_have_numbers_of_their_own(quota: NetworkQuota) -> None:
    """A /64 may have 2 rooms here, a /56 8 and a /48 32."""
    for n in range(8):
        quota.add(f"near {n}", f"2001:db8:0:{n:x}::1")
    assert quota.crowded("2001:db8:0:9::1") == "2001:db8::/56"
    assert quota.crowded("2001:db8:0:900::1") is None
    for n in range(24):
        quota.add(f"far {n}", f"2001:db8:0:{n + 1:x}00::1")
    assert quota.crowded("2001:db8:0:ff00::1") == "2001:db8::/48"
    assert quota.crowded("2001:db8:1::1") is None


def test_rooms_of_one_network_share_a_size() -> None:
    quota = NetworkQuota(most_of_address=10, most_size=100)
    quota.add("a", "2001:db8:0:1::1")
    quota.add("b", "2001:db8:0:1::2")
    quota.note_size("a", 70)
    assert (quota.size_left("b", 0), quota.crowded("2001:db8:0:1::3")) == (30, None)
    quota.note_size("b", 30)
    assert (quota.size_left("a", 70), quota.crowded("2001:db8:0:1::3")) == (0, "2001:db8:0:1::/64")
    quota.note_size("of another node", 500)
    assert quota.size_left("of another node", 60) == 40
    quota.remove("a")
    assert quota.size_left("b", 30) == 70


def test_the_heaviest_network_gives_way_to_a_lighter_one(quota: NetworkQuota) -> None:
    assert quota.heavier_than(CLUB) is None
    for room in ("a", "b", "c"):
        quota.add(room, HOME)
    assert (quota.heavier_than(CLUB), quota.heavier_than(HOME)) == (HOME, None)
    for room in ("d", "e"):
        quota.add(room, CLUB)
    assert quota.heavier_than(CLUB) is None  # one room more is not worth a change


def test_many_narrow_networks_of_one_subscriber_are_one(quota: NetworkQuota) -> None:
    for n in range(200):
        quota.add(f"wide {n}", f"2001:db8:0:{n:x}::1")
    for n in range(3):
        quota.add(f"home {n}", HOME)
    assert quota.heavier_than(CLUB) == "2001:db8::/56"
