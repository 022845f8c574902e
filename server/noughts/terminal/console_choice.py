"""Chooses the console that fits the terminal."""

from __future__ import annotations

import os
import sys
from typing import Any

from noughts.command_line import part
from noughts.terminal.console import Console, PlainConsole


def console_for(*, plain: bool) -> Console:
    """Return the console with colours and arrow keys where it works, else a plain one."""
    return console_with_keys(plain=plain) or PlainConsole(sys.stdin, sys.stdout)


def console_with_keys(*, plain: bool) -> Any:
    """Return the console with colours and arrow keys; None if a plain one is wanted or both ends are no such terminal."""
    return None if plain or not is_capable_terminal() else part("console with keys").PromptConsole()


def is_capable_terminal() -> bool:
    """Return whether both ends are a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
