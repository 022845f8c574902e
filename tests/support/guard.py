"""A guard: what the program promises, how to remove it, and the tests that must then fail."""

from __future__ import annotations

import ast
from typing import NamedTuple

from tests.support.removal import Removal, node_of


class Guard(NamedTuple):
    """One guard: what it promises, its module and function, how to remove it, and the tests that show that it is gone.

    In a module whose name ends with ``.lua``, ``function`` is the line of a condition, which becomes false.
    """

    sentence: str
    module: str
    function: str
    removal: Removal | None
    tests: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file of the module below server/."""
        lua = self.module.endswith(".lua")
        return self.module.removesuffix(".lua").replace(".", "/") + (".lua" if lua else ".py")

    def removed_from(self, text: str) -> str:
        """Return the text of the module without the guard. Raise LookupError if the guard is not there."""
        if self.removal is None:
            if text.count(self.function) != 1:
                raise LookupError(f"{text.count(self.function)} times {self.function}")
            return text.replace(self.function, "if false then")
        tree = ast.parse(text)
        self.removal(tree, node_of(tree, self.function))
        return ast.unparse(ast.fix_missing_locations(tree))


def guards_of(module: str, tests: str, *rows: tuple[str, str, Removal | None]) -> tuple[Guard, ...]:
    """Return the guards of one module. ``tests`` are paths below tests/, separated by spaces."""
    paths = tuple(f"tests/{path}" for path in tests.split())
    return tuple(Guard(sentence, f"noughts.{module}", function, removal, paths) for sentence, function, removal in rows)
