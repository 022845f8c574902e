"""A program in WebAssembly, run by wasmtime. The one module that imports wasmtime."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import wasmtime


class Program:
    """A program with its memory. Its functions take and return integers.

    A program may call ``host.stop`` now and then, and ends its search if the answer is 1.
    """

    def __init__(self, code: bytes) -> None:
        """Compile and start the program. Raise ValueError if that fails here, or KeyError without its memory."""
        self._must_stop: Callable[[], bool] = _never
        try:
            engine, module = _compiled(code)
            self._store = wasmtime.Store(engine)
            stop = wasmtime.Func(self._store, wasmtime.FuncType([], [wasmtime.ValType.i32()]), self._stop)
            imports = [stop for _ in module.imports]
            self._exports = wasmtime.Instance(self._store, module, imports).exports(self._store)
            memory = self._exports["memory"]
        except wasmtime.WasmtimeError as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(f"wasmtime cannot run it here: {reason}") from error
        if not isinstance(memory, wasmtime.Memory):
            raise ValueError("it exports no memory")
        self._memory = memory

    def function(self, name: str) -> Callable[..., int]:
        """Return an exported function. Raise KeyError if the program has none of that name."""
        function, store = self._exports[name], self._store
        if not isinstance(function, wasmtime.Func):
            raise KeyError(name)
        return lambda *arguments: function(store, *arguments)

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


@lru_cache(maxsize=8)
def _compiled(code: bytes) -> tuple[wasmtime.Engine, wasmtime.Module]:
    engine = wasmtime.Engine()
    return engine, wasmtime.Module(engine, code)


def _never() -> bool:
    return False
