"""Fixtures of every test: servers in processes of their own, on free ports of the loopback, gone when the test is."""

from __future__ import annotations

import gc
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

pytest.register_assert_rewrite("tests.support")  # its assertions hold under python -O too

from tests.support.server import QUICK, RunningServer  # noqa: E402 - pytest must know first

StartServer: TypeAlias = Callable[..., RunningServer]
"""Start a server. Arguments: its data directory if it matters, and settings by keyword, such as ``grace_ms=200``."""


FIGURES: Final = ("tests/attacks/", "tests/faults/", "tests/races/")
"""Suites whose tests print a figure as their last line."""
LOG_LINE: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Take the signals that nohup and the background of a shell ignore: tests send them, also to children.

    With ``--reruns`` each test sends two short messages to the first process, and TCP would hold the second one for 40 ms.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    line = getattr(getattr(config, "failures_db", None), "sock", None)
    if line is not None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def pytest_collection_finish() -> None:
    """Keep the tests themselves out of the searches for garbage: they stay until the end, and there are many."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show the figures of the tests that passed, which pytest captures."""
    passed = [report for report in terminalreporter.getreports("passed") if report.when == "call"]
    figures = [figure for report in passed if (figure := figure_of(report))]
    if figures:
        terminalreporter.section("figures")
        for figure in figures:
            terminalreporter.line(figure)


def figure_of(report: pytest.TestReport) -> str:
    """Return the last line that a test printed, empty without one. A server in the same process may log meanwhile."""
    lines = report.capstdout.splitlines() if report.nodeid.startswith(FIGURES) else []
    return next((line for line in reversed(lines) if not LOG_LINE.match(line)), "")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Return one server for all tests that do not stop it. The engine has no pace and there are no limits."""
    running = RunningServer(tmp_path_factory.mktemp("server"), QUICK).start()
    yield running
    running.stop_well()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Return a function that starts a server of the test's own, and kill all of them in the end."""
    servers: list[RunningServer] = []

    def start(data: Path | None = None, **settings: object) -> RunningServer:
        environment = {**QUICK, **{f"NOUGHTS_{name.upper()}": str(value) for name, value in settings.items()}}
        running = RunningServer(data or tmp_path / f"data{len(servers)}", environment)
        servers.append(running)
        return running.start()

    yield start
    for running in servers:
        running.kill()
