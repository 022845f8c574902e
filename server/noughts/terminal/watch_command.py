"""``noughts watch LINK``: a room in the terminal, as a spectator."""

from __future__ import annotations

from collections.abc import Sequence

from noughts.command_line import command_parser
from noughts.terminal.room_command import enter


def main(arguments: Sequence[str]) -> int:
    """Watch a room until the person leaves. Return the exit status."""
    parser = command_parser("watch")
    parser.add_argument("link", metavar="LINK", help="link of a room")
    parser.add_argument("--name", help="your name for the chat; without one you are a nameless spectator")
    parser.add_argument("--plain", action="store_true", help="text without colours and keys, for screen readers")
    parsed = parser.parse_args(arguments[1:])
    return enter(parsed.link, sits=False, plain=parsed.plain, name=parsed.name, token_file=None)
