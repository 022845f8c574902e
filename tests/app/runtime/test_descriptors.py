"""The limit on open files, in a process of its own where it is changed."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from noughts.app.runtime.descriptors import MAX_CONNECTIONS, connection_capacity, raise_limit

PROGRAM = """
import resource, sys
from noughts.app.runtime.descriptors import connection_capacity, raise_limit
raise_limit()
print(*resource.getrlimit(resource.RLIMIT_NOFILE), connection_capacity())
"""


@pytest.mark.parametrize(
    ("limits", "printed"),
    [("256:1024", "1024 1024 928"), ("1024:1024", "1024 1024 928"), ("64:64", "64 64 32")],
)
def test_clients_get_all_but_a_reserve_of_the_hard_limit(limits: str, printed: str) -> None:
    command = ["prlimit", f"--nofile={limits}", sys.executable, "-c", PROGRAM]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == printed


def test_a_system_may_refuse_a_higher_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server then starts with the limit that it has."""
    tries: list[tuple[int, int]] = []

    def refuse(kind: int, limits: tuple[int, int]) -> None:
        tries.append(limits)
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 1_024))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    raise_limit()
    assert tries == [(1_024, 1_024)]
    assert connection_capacity() == 160


def test_without_a_limit_there_are_still_only_so_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert connection_capacity() == MAX_CONNECTIONS
