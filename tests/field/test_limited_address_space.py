"""Shared hosting and some containers: the process may use a few gigabytes of addresses. All analyses were faults there."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
from noughts import Game, verdict
from noughts.engine.kernels import fault
for variant, moves in (("four-in-a-row", "d6 d5"), ("qubic", "a1.1"), ("gomoku", "h8"), ("ultimate", "e5")):
    verdict(Game.of(variant, moves), seconds=0.02)
print(fault())
"""


@pytest.mark.parametrize("gigabytes", [4.5, 6, 9])
def test_all_programs_run_in_few_gigabytes_of_addresses(gigabytes: float) -> None:
    """A worker keeps a program for each of its games."""
    command = [sys.executable, "-W", "error", "-c", _PROGRAM, str(int(gigabytes * 1e9))]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("None\n", "")


def test_with_too_few_addresses_nothing_is_proved_and_the_check_says_so() -> None:
    command = [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(400_000_000)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout != "None\n"
