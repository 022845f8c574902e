"""A program in WebAssembly: its functions, its questions to the host, and a machine that cannot run it."""

from __future__ import annotations

import pytest
import wasmtime

from noughts.engine.compiled.program import Program

CODE = wasmtime.wat2wasm(
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


def test_a_function_takes_and_returns_integers() -> None:
    double = Program(bytes(CODE)).function("double")
    assert double(1 << 40) == 1 << 41
    assert double(-3) == -6


def test_only_functions_have_names() -> None:
    program = Program(bytes(CODE))
    for name in ("memory", "triple"):
        with pytest.raises(KeyError):
            program.function(name)


def test_the_host_is_asked_whether_to_stop() -> None:
    program = Program(bytes(CODE))
    count = program.function("count")
    assert count(7) == 7
    answers = iter([False, False, False, True])
    program.stop_when(lambda: next(answers))
    assert count(7) == 3


def test_two_programs_have_hosts_of_their_own() -> None:
    one, other = Program(bytes(CODE)), Program(bytes(CODE))
    one.stop_when(lambda: True)
    assert (one.function("count")(5), other.function("count")(5)) == (0, 5)


def test_code_that_cannot_run_is_rejected() -> None:
    with pytest.raises(ValueError, match="wasmtime cannot run it here"):
        Program(b"no program")


def test_its_memory_keeps_what_is_written() -> None:
    program = Program(bytes(CODE))
    program.write(65_532, b"mark")
    assert program.read(65_532, 4) == b"mark"
    assert program.read(0, 2) == bytes(2)
    with pytest.raises(IndexError):
        program.write(65_533, b"mark")


def test_code_without_a_memory_is_rejected() -> None:
    with pytest.raises(KeyError, match="memory"):
        Program(bytes(wasmtime.wat2wasm("(module)")))
    with pytest.raises(ValueError, match="it exports no memory"):
        Program(bytes(wasmtime.wat2wasm('(module (func (export "memory")))')))
