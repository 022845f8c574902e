"""The limit on open files, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
