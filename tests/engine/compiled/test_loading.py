"""Loading of compiled programs, and the engine's answer where one cannot be loaded."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from noughts.engine.compiled import loading, program_file
from noughts.engine.compiled.loading import load

NAME = "four_in_a_row"


def test_a_program_is_started_anew_at_each_call() -> None:
    one, other = load(NAME), load(NAME)
    assert one is not None
    assert other is not None
    assert one is not other
    assert one.function("nodes_searched")() == 0


def test_without_wasmtime_there_is_none_and_no_warning(plain: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(NAME) is None


def test_a_damaged_program_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def read_code(name: str) -> bytes:
        code = program_file.read_code(name)
        raise ValueError(f"a damaged file of {len(code)} bytes")

    monkeypatch.setattr(loading, "read_code", read_code)
    with pytest.warns(UserWarning, match=r"plain Python, without .*four_in_a_row\.wasm: a damaged file"):
        assert load(NAME) is None


def test_a_missing_program_is_named() -> None:
    with pytest.warns(UserWarning, match=r"plain Python, without .*no_such_program\.wasm"):
        assert load("no_such_program") is None


def test_a_machine_that_forbids_compiled_code_is_named() -> None:
    """Linux 6.3 and later can forbid it for a process, as systemd's MemoryDenyWriteExecute does."""
    code = """
import ctypes, warnings
warnings.simplefilter("error", ResourceWarning)
forbidden = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0
from noughts.engine.compiled.loading import load
print("none" if load("four_in_a_row") is None else "program", forbidden)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    program, forbidden = process.stdout.split()
    if forbidden == "True":
        assert program == "none"
        assert "plain Python" in process.stderr
    else:  # an older kernel
        assert program == "program"


def test_the_engine_imports_no_wasmtime_before_it_searches() -> None:
    code = "import sys, noughts.engine.engine; assert 'wasmtime' not in sys.modules"
    server = Path(loading.__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(server)})
