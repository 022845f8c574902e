"""Compiled programs for tests, and one whose machine is short of memory."""

from __future__ import annotations

from collections.abc import Callable

from noughts.engine.compiled.loading import Program, load


def loaded(name: str) -> Program:
    """Return a program, newly started."""
    program = load(name)
    assert program is not None
    return program


class WithoutMemory:
    """A program whose ``begin`` finds no memory for its tables."""

    def __init__(self, program: Program) -> None:
        self.write = program.write
        self.read = program.read
        self.stop_when = program.stop_when
        self._function = program.function

    def function(self, name: str) -> Callable[..., int]:
        """Return an exported function."""
        return (lambda *arguments: 0) if name == "begin" else self._function(name)
