"""Fixtures of every test: servers in processes of their own, on free ports of the loopback, gone when the test is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.serving import QUICK, RunningServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests that do not stop it: no pace for the engine, no limits."""
    running = RunningServer(tmp_path_factory.mktemp("server"), QUICK).start()
    yield running
    try:
        status = running.stop()
    finally:
        running.kill()
    assert status == 0, running.log
    assert "Traceback" not in running.log, running.log


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[..., RunningServer]]:
    """Servers of a test's own; settings by keyword, such as ``grace_ms=200``."""
    started: list[RunningServer] = []

    def start(data: Path | None = None, **settings: object) -> RunningServer:
        environment = {**QUICK, **{f"NOUGHTS_{name.upper()}": str(value) for name, value in settings.items()}}
        running = RunningServer(data or tmp_path / f"data{len(started)}", environment)
        started.append(running)
        return running.start()

    yield start
    for running in started:
        running.kill()
