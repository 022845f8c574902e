"""Which console fits the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from noughts.terminal import console_choice
from noughts.terminal.console import PlainConsole
from noughts.terminal.console_choice import console_for, console_with_keys
from noughts.terminal.prompt_console import PromptConsole


@pytest.fixture(autouse=True)
def no_input(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give the command an input that is no terminal, and has a descriptor."""
    with open(os.devnull) as empty:
        monkeypatch.setattr("sys.stdin", empty)
        yield


def test_without_a_terminal_the_console_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(console_for(plain=False), PlainConsole)
    assert isinstance(console_for(plain=True), PlainConsole)
    assert console_with_keys(plain=False) is None


def test_a_terminal_has_a_console_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console_choice, "is_capable_terminal", lambda: True)
    assert isinstance(console_for(plain=False), PromptConsole)
    assert isinstance(console_for(plain=True), PlainConsole)
