"""``python -m noughts``."""

from __future__ import annotations

import runpy
import sys

import pytest

from noughts import __version__


def test_python_m_runs_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["noughts", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("noughts", run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"noughts {__version__}\n"


def test_an_import_runs_nothing() -> None:
    runpy.run_module("noughts.__main__", run_name="noughts.__main__")
