"""The fixtures of tests that need a node without its sockets."""

from tests.support.engine_rooms import prompt
from tests.support.node import cluster, node, pair

__all__ = ["cluster", "node", "pair", "prompt"]
