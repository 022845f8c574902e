"""A pytest plugin for ``make test``: the tests of the pure floors run in a second process, beside the others.

They need only a processor, while the others wait for servers, browsers and flushes. Their searches count processor time,
so they may run at a lower priority, and tests that measure a time are disturbed little. With paths or ``-k`` on the command
line, everything runs in one process.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

FLOORS: Final = ("rules", "engine", "room", "protocol")
"""Directories of ``tests`` that start no server."""
PRIORITY: Final = 5
"""By how much the second process is nicer than the first."""


def pytest_configure(config: pytest.Config) -> None:
    """Start the second process, if all tests are to run."""
    chosen = config.args_source is not pytest.Config.ArgsSource.TESTPATHS or config.option.keyword
    if not chosen and not config.option.collectonly:
        config.pluginmanager.register(Beside(config), "beside")


class Beside:
    """The second process. The first waits for it, shows its output above its own closing line, and fails if it fails."""

    def __init__(self, config: pytest.Config) -> None:
        directories = [config.rootpath / "tests" / floor for floor in FLOORS]
        self._directories = [directory for directory in directories if directory.is_dir()]
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed when the session ends
        marks = ["-m", config.option.markexpr] if config.option.markexpr else []
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *marks, *map(str, self._directories)]
        self._process = subprocess.Popen(
            ["nice", f"-n{PRIORITY}", *command], cwd=config.rootpath, stdout=self._output, stderr=subprocess.STDOUT
        )

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if collection_path in self._directories else None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.INTERRUPTED:
            self._process.kill()
        if self._process.wait() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        self._output.seek(0)
        terminalreporter.section(f"beside these tests: {', '.join(FLOORS)}")
        terminalreporter.write(self._output.read().decode(errors="replace"))

    def pytest_unconfigure(self) -> None:
        self._process.kill()
        self._process.wait()
        self._output.close()
