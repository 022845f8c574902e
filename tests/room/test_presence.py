"""Presence: who of a room's players is connected."""

from __future__ import annotations

from noughts.room.presence import NO_PRESENCE, Presence


def test_a_player_who_is_away() -> None:
    """A player with an entry is away since then."""
    presence = Presence(away={"p_bob": 5})
    assert presence.away_since_ms("p_bob") == 5
    assert not presence.is_here("p_bob")


def test_a_player_who_is_away_since_the_epoch() -> None:
    """Zero is a time like any other: the player is away."""
    assert not Presence(away={"p_bob": 0}).is_here("p_bob")


def test_a_player_who_is_here() -> None:
    """A player without an entry is here, however the other one is."""
    presence = Presence(away={"p_bob": 5})
    assert presence.away_since_ms("p_ada") is None
    assert presence.is_here("p_ada")


def test_the_lag_of_a_player() -> None:
    """Lag is 0 until it was measured."""
    presence = Presence(lag_ms={"p_ada": 80})
    assert presence.lag_of("p_ada") == 80
    assert presence.lag_of("p_bob") == 0


def test_no_presence() -> None:
    """A room that is looked at alone has no connection, and nobody is away."""
    assert NO_PRESENCE.connections == NO_PRESENCE.last_left_ms == 0
    assert NO_PRESENCE.is_here("p_ada")
