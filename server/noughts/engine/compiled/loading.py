"""Loading of compiled programs. Without wasmtime, or with a damaged file, the engine goes on in plain Python."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol

from noughts.engine.compiled.program_file import FOLDER, read_code

RUNTIME: Final = "wasmtime"


class Program(Protocol):
    """The interface of :class:`noughts.engine.compiled.program.Program`, which is imported with wasmtime when needed."""

    def function(self, name: str) -> Callable[..., int]: ...

    def write(self, address: int, data: bytes) -> None: ...

    def read(self, address: int, size: int) -> bytes: ...

    def stop_when(self, must_stop: Callable[[], bool]) -> None: ...


def load(name: str) -> Program | None:
    """Return a program, newly started. Return None without wasmtime, and warn and return None if the program cannot run."""
    if find_spec(RUNTIME) is None:
        return None
    try:
        program: Program = import_module("noughts.engine.compiled.program").Program(read_code(name))
    except Exception as error:  # whatever is wrong with the file or with wasmtime, plain Python remains
        warnings.warn(f"The engine searches in plain Python, without {FOLDER / name}.wasm: {error}.", stacklevel=2)
        return None
    return program
