"""``noughts settings``: print all settings as a file of variables."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.app.runtime.config import environment_file
from noughts.command_line import command_parser


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return the exit status."""
    command_parser("settings").parse_args(arguments[1:])
    print(environment_file(), end="")
    return 0
