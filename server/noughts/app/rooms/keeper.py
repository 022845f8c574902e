"""The keeper of a room: the one node that handles its deadlines and searches for its engine.

Every node computes the keeper from the nodes that hold the room, by rendezvous hashing: the node with the smallest hash of
itself and the room. So the rooms of a node that dies are spread over the others, and no room changes its keeper otherwise.
Nodes may disagree for a moment. Then two nodes do the same thing, and compare-and-set lets one of them win, or a node waits
for another that does not act. So each other holder acts too, later, if the deadline still stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

WAIT_MS: Final = 150
"""How much later than the keeper another holder handles a deadline."""
SEARCH_WAIT_MS: Final = 30_000
"""How much later than the keeper another holder searches for the engine. It does so at once when the keeper dies."""


def keeper(room: str, nodes: Iterable[str]) -> str:
    """Return the keeper of a room that these nodes hold. Raise ValueError for no nodes."""
    return min(nodes, key=lambda node: _hash(room, node))


def _hash(room: str, node: str) -> tuple[bytes, str]:
    return blake2b(f"{room} {node}".encode(), digest_size=8).digest(), node
