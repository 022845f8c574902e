"""The status of a node, for tests that do not care what it says."""

from __future__ import annotations

from noughts.store.contract import NodeStatus

STATUS = NodeStatus("one", "one", "0", 0)
