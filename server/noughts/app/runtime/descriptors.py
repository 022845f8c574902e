"""File descriptors: how many the process may open, and how many of them clients may use."""

from __future__ import annotations

import resource
from typing import Final

RESERVED: Final = 96
"""Descriptors that no client gets: for the store, the search workers, the log and the operator."""
MAX_CONNECTIONS: Final = 100_000


def raise_limit() -> None:
    """Raise the soft limit on open files to the hard limit, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):  # macOS refuses an unlimited number
            return


def connection_capacity() -> int:
    """Return how many connections of clients fit into the limit on open files. At least one."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(1, min(MAX_CONNECTIONS, soft - min(RESERVED, soft // 2)))
