"""The backend of a single node: the given store, and contracts that work without other nodes."""

from __future__ import annotations

from pathlib import Path

from noughts.store.backend import single_node
from noughts.store.coordination import Rate
from noughts.store.sqlite.store import SqliteStore


async def test_a_single_node_has_all_contracts(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "noughts.db")
    backend = single_node(store)
    assert backend.store is store
    backend.presence.arrived("r1", "p_ann", "Ann", 100)
    assert len(backend.presence.players()) == 1
    assert await backend.coordination.take_credit("messages", "p_ann", Rate(1, 1)) == 0


async def test_two_backends_share_nothing_but_the_store(tmp_path: Path) -> None:
    """Two servers in one process, as in the tests, must not see each other's connections."""
    store = SqliteStore(tmp_path / "noughts.db")
    one, other = single_node(store), single_node(store)
    one.presence.arrived("r1", "p_ann", "Ann", 100)
    assert not other.presence.players()
