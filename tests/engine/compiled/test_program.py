"""The compiled programs: their files are the ones that were built, they run, and a machine that cannot run them says why."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import wasmtime

from noughts.engine.compiled import program as program_module
from noughts.engine.compiled.program import FOLDER, SUMS, Program, ProgramError, fault, load, read_code, sums

NAMES = sorted(path.stem for path in FOLDER.glob("*.wasm"))
CODE = bytes(
    wasmtime.wat2wasm(
        """
    (module
      (import "host" "stop" (func $stop (result i32)))
      (func (export "double") (param i64) (result i64) (i64.add (local.get 0) (local.get 0)))
      (func (export "count") (param $limit i32) (result i32)
        (local $steps i32)
        (block $end
          (loop $next
            (br_if $end (i32.eq (local.get $steps) (local.get $limit)))
            (br_if $end (call $stop))
            (local.set $steps (i32.add (local.get $steps) (i32.const 1)))
            (br $next)))
        (local.get $steps))
      (memory (export "memory") 1))
    """
    )
)


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """Return a folder with copies of all files."""
    for path in (*FOLDER.glob("*.wasm"), FOLDER / SUMS):
        shutil.copy(path, tmp_path)
    return tmp_path


# -- a program ---------------------------------------------------------------------------------------------------------


def test_a_function_takes_and_returns_integers() -> None:
    double = Program(CODE).function("double")
    assert double(1 << 40) == 1 << 41
    assert double(-3) == -6


def test_only_functions_have_names() -> None:
    program = Program(CODE)
    for name in ("memory", "triple"):
        with pytest.raises(KeyError):
            program.function(name)


def test_the_host_is_asked_whether_to_stop() -> None:
    program = Program(CODE)
    count = program.function("count")
    assert count(7) == 7
    answers = iter([False, False, False, True])
    program.stop_when(lambda: next(answers))
    assert count(7) == 3


def test_two_programs_have_hosts_of_their_own() -> None:
    one, other = Program(CODE), Program(CODE)
    one.stop_when(lambda: True)
    assert (one.function("count")(5), other.function("count")(5)) == (0, 5)


def test_its_memory_keeps_what_is_written() -> None:
    program = Program(CODE)
    program.write(65_532, b"mark")
    assert program.read(65_532, 4) == b"mark"
    assert program.read(0, 2) == bytes(2)
    with pytest.raises(IndexError):
        program.write(65_533, b"mark")


def test_code_that_cannot_run_is_rejected() -> None:
    with pytest.raises(ProgramError, match="wasmtime cannot run programs here"):
        Program(b"no program")


@pytest.mark.parametrize("text", ["(module)", '(module (func (export "memory")))'])
def test_code_without_a_memory_is_rejected(text: str) -> None:
    with pytest.raises(ProgramError, match="exports no memory"):
        Program(bytes(wasmtime.wat2wasm(text)))


def test_a_program_is_started_anew_at_each_call() -> None:
    one, other = load("four_in_a_row"), load("four_in_a_row")
    assert one is not other
    assert one.function("nodes_searched")() == 0


# -- the files ---------------------------------------------------------------------------------------------------------


def test_no_source_and_no_program_changed_alone() -> None:
    """Red? Run ``make kernels``, and commit the source, the program and the hashes together."""
    files = [file for file in FOLDER.iterdir() if file.suffix in (".c", ".h", ".wasm")]
    assert sums() == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    assert sorted(file.stem for file in files if file.suffix == ".c") == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_program_is_not_read(name: str, copies: Path) -> None:
    file = copies / f"{name}.wasm"
    code = file.read_bytes()
    assert read_code(name, copies) == code
    for damaged in (code[:-1], code[: len(code) // 2], b"", code[:99] + bytes([code[99] ^ 1]) + code[100:]):
        file.write_bytes(damaged)
        with pytest.raises(ProgramError, match=r"is damaged: install Noughts again, or build it again"):
            read_code(name, copies)
    file.unlink()
    with pytest.raises(ProgramError, match=r"No such file.*make kernels"):
        read_code(name, copies)


@pytest.mark.parametrize("text", ["", "no hash\n", "0000  another.wasm\n", "x  y  z\n", "\u00ff\u00fe"])
def test_without_its_hash_no_program_is_read(text: str, copies: Path) -> None:
    (copies / SUMS).write_text(text, encoding="utf-8")
    with pytest.raises(ProgramError, match="is damaged"):
        read_code(NAMES[0], copies)


# -- whether they run --------------------------------------------------------------------------------------------------


def test_the_programs_run_here() -> None:
    assert fault() is None


def test_one_damaged_program_is_a_fault(copies: Path) -> None:
    (copies / "shapes.wasm").write_bytes(b"")
    assert "shapes.wasm is damaged" in (fault(copies) or "")


def test_a_folder_without_programs_is_a_fault(tmp_path: Path) -> None:
    assert "No such file" in (fault(tmp_path) or "")


def test_a_machine_that_computes_wrong_results_is_a_fault(copies: Path) -> None:
    program = wasmtime.wat2wasm(
        '(module (func (export "nodes_searched") (result i64) i64.const 7) (memory (export "memory") 1))'
    )
    (copies / "four_in_a_row.wasm").write_bytes(program)
    (copies / SUMS).write_text(
        "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in copies.glob("*.wasm"))
    )
    assert "computes wrong results" in (fault(copies) or "")


def test_without_wasmtime_the_fault_is_named(monkeypatch: pytest.MonkeyPatch, copies: Path) -> None:
    monkeypatch.setattr(program_module, "import_fault", "wasmtime cannot be imported (no module)")
    assert fault(copies) == "wasmtime cannot be imported (no module)"


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


def test_a_wasmtime_that_cannot_be_imported_is_a_fault() -> None:
    code = """
import sys
sys.modules["wasmtime"] = None
from noughts.engine.compiled.program import fault
print(fault())
"""
    assert run(code).stdout.startswith("wasmtime cannot be imported (")


def test_a_machine_that_forbids_machine_code_is_a_fault() -> None:
    """Linux 6.3 and later can forbid it for a process, as systemd's MemoryDenyWriteExecute does."""
    code = """
import ctypes
forbidden = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0
from noughts.engine.compiled.program import fault
print(forbidden, fault())
"""
    forbidden, _, reason = run(code).stdout.strip().partition(" ")
    if forbidden == "True":
        assert reason.startswith("wasmtime cannot run programs here")
    else:  # an older kernel
        assert reason == "None"
