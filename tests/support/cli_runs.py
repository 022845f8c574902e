"""Runs of the ``noughts`` command in this process."""

from __future__ import annotations

import pytest

from noughts import command_line

Capture = pytest.CaptureFixture[str]


def noughts(capsys: Capture, *arguments: object) -> tuple[int, str]:
    """Run a command. Return its exit status and everything that it printed.

    Another server of this process may log meanwhile that a busy machine let it stand still. That is left out.
    """
    try:
        status = command_line.main([str(argument) for argument in arguments])
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    lines = "".join(capsys.readouterr()).splitlines(keepends=True)
    return status, "".join(line for line in lines if "the server stood still" not in line)
