"""The compiled programs: C built to WebAssembly, run by wasmtime. The one module that imports wasmtime.

Each program has a C source and a file of WebAssembly here. ``make kernels`` builds the files and writes ``SHA256SUMS``, in
the format of ``sha256sum``. Only processes that search import this module: the serving process does not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

import_fault: str | None = None
try:
    import wasmtime
except Exception as error:  # no wheel for this system, or one whose library does not load here
    import_fault = f"wasmtime cannot be imported ({error})"

FOLDER: Final = Path(__file__).parent
SUMS: Final = "SHA256SUMS"
_REMEDY: Final = "install Noughts again, or build it again with `make kernels`"
_SMALLEST: Final = "four_in_a_row"
RESERVED_BYTES: Final = 64 << 20
"""The address space of a memory, and how much more of it a memory takes that outgrows it.

By default wasmtime reserves 4 GiB for each memory, so a process whose address space is limited can run one program or none.
With less, each access checks its bounds: ultimate searches 10 to 13 % fewer nodes a second, and the other games as many.
"""
GUARD_BYTES: Final = 64 << 10


class ProgramError(Exception):
    """A program cannot run here. The message says why."""


class Program:
    """A program with its memory. Its functions take and return integers.

    A program may call ``host.stop`` now and then, and ends its search if the answer is 1.
    """

    def __init__(self, code: bytes) -> None:
        """Compile and start the program. Raise ProgramError if that fails here, or if it exports no memory."""
        if import_fault is not None:
            raise ProgramError(import_fault)
        self._must_stop: Callable[[], bool] = _never
        try:
            engine, module = _compiled(code)
            self._store = wasmtime.Store(engine)
            stop = wasmtime.Func(self._store, wasmtime.FuncType([], [wasmtime.ValType.i32()]), self._stop)
            imports = [stop for _ in module.imports]
            self._exports = wasmtime.Instance(self._store, module, imports).exports(self._store)
            memory = self._exports.get("memory")
        except wasmtime.WasmtimeError as error:
            reason = str(error).partition("\n")[0]
            raise ProgramError(f"wasmtime cannot run programs here ({reason})") from error
        if not isinstance(memory, wasmtime.Memory):
            raise ProgramError("the program exports no memory")
        self._memory = memory

    def function(self, name: str) -> Callable[..., int]:
        """Return an exported function, which may raise ProgramError. Raise KeyError if the program has none of that name."""
        function, store = self._exports[name], self._store
        if not isinstance(function, wasmtime.Func):
            raise KeyError(name)

        def call(*arguments: int) -> int:
            try:
                answer: int = function(store, *arguments)
                return answer
            except (wasmtime.WasmtimeError, wasmtime.Trap) as error:
                raise ProgramError(f"a program failed: {str(error).splitlines()[0]}") from error

        return call

    def write(self, address: int, data: bytes) -> None:
        """Write to the program's memory. Raise IndexError beyond its end."""
        self._memory.write(self._store, data, address)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the program's memory."""
        return bytes(self._memory.read(self._store, address, address + size))

    def stop_when(self, must_stop: Callable[[], bool]) -> None:
        """Answer the program's calls of ``host.stop`` with this function from now on. It raises nothing."""
        self._must_stop = must_stop

    def _stop(self) -> int:
        return int(self._must_stop())


def load(name: str) -> Program:
    """Return a program, newly started. Raise ProgramError."""
    return Program(read_code(name))


def read_code(name: str, folder: Path = FOLDER) -> bytes:
    """Return the code of a program. Raise ProgramError if the file is missing, or differs from the file that was built."""
    file = f"{name}.wasm"
    try:
        code = (folder / file).read_bytes()
        digest = sums(folder).get(file)
    except OSError as error:
        raise ProgramError(f"{folder / file}: {error.strerror}: {_REMEDY}") from error
    if hashlib.sha256(code).hexdigest() != digest:
        raise ProgramError(f"{folder / file} is damaged: {_REMEDY}")
    return code


def sums(folder: Path = FOLDER) -> dict[str, str]:
    """Return the SHA-256 of each file, in hexadecimal. A damaged list lacks some of them. Raise OSError."""
    lines = (folder / SUMS).read_text(encoding="ascii", errors="replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


@lru_cache(maxsize=2)
def fault(folder: Path = FOLDER) -> str | None:
    """Return why the programs do not run here, None if they do.

    Check the files of all programs and run the smallest one, once for each process: a system may forbid a process to make
    machine code, and no other check shows that.
    """
    try:
        programs = {path.stem: read_code(path.stem, folder) for path in sorted(folder.glob("*.wasm"))}
        code = programs.get(_SMALLEST) or read_code(_SMALLEST, folder)
        if Program(code).function("nodes_searched")():
            raise ProgramError("a program that wasmtime runs here computes wrong results")
    except ProgramError as error:
        return str(error)
    return None


@lru_cache(maxsize=8)
def _compiled(code: bytes) -> tuple[wasmtime.Engine, wasmtime.Module]:
    config = wasmtime.Config()
    config.memory_reservation = config.memory_reservation_for_growth = RESERVED_BYTES
    config.memory_guard_size = GUARD_BYTES
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module(engine, code)


def _never() -> bool:
    return False
