"""One server with its default settings for all attacks that leave it well. Each attack comes from an address of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server import RunningServer

LOG_BYTES = 4_000
"""What the server may log of all these attacks."""


@pytest.fixture(scope="package")
def default_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Return the server. Beside its data directory lies a file that it must not serve."""
    folder = tmp_path_factory.mktemp("attacks")
    (folder / "pyproject.toml").write_text("[build-system]\n")
    running = RunningServer(folder / "data", {"NOUGHTS_WORKERS": "1"}).start()
    begin = len(running.log)
    yield running
    running.stop_well()
    lines = [line for line in running.log[begin:].splitlines() if "the server stood still" not in line]
    assert len("\n".join(lines)) < LOG_BYTES, running.log


@pytest.fixture
def new_server(tmp_path: Path) -> RunningServer:
    """Return a server with the default limits, not started."""
    return RunningServer(tmp_path / "data", {"NOUGHTS_WORKERS": "1"})
