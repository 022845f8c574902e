"""Terminals with ``noughts`` in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest

from tests.support.terminal import Terminal

Open: TypeAlias = Callable[..., Terminal]


@pytest.fixture
def open_terminal() -> Iterator[Open]:
    """Return a function that starts ``noughts`` in a terminal, and close all of them in the end."""
    terminals: list[Terminal] = []

    def start(*arguments: str, columns: int = 80, name: str = "xterm-256color") -> Terminal:
        terminals.append(Terminal(*arguments, columns=columns, name=name))
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.close()
        assert "Traceback" not in terminal.text
        assert "Exception" not in terminal.text
