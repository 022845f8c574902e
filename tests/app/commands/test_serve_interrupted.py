"""Ctrl-C in the first second: the command ends without a traceback, also of the processes that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


@pytest.mark.parametrize("tenths", range(2, 11, 2))
def test_an_early_interrupt_prints_no_traceback(tmp_path: Path, tenths: int) -> None:
    """A terminal sends the signal to the whole group. While Python itself starts, no program can catch the signal."""
    process = subprocess.Popen(
        [sys.executable, "-m", "noughts", "serve", "--port", "0", "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(tenths / 10)  # what is tested is the moment of the signal
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    if process.returncode != -signal.SIGINT:
        assert "Traceback" not in errors
        assert process.returncode in (0, 130)
    assert "noughts/app" not in errors
