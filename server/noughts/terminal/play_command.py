"""``noughts play``: a game in the terminal, against the engine in this process, a friend at the keyboard, or in a room."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Protocol

from noughts.command_line import INTERRUPTED, UsageError, choice, command_parser, part
from noughts.engine.levels import DEFAULT_LEVEL, default_level
from noughts.library import MOVE_S, levels
from noughts.rules.variant import VARIANTS
from noughts.terminal.console import console_for
from noughts.terminal.local_game import LocalGame, Plan


class EnterRoom(Protocol):
    """:func:`noughts.terminal.room_command.enter`."""

    def __call__(self, link: str, *, sits: bool, plain: bool, name: str | None, token_file: str | None) -> int: ...


class ListRooms(Protocol):
    """:func:`noughts.terminal.room_command.list_rooms`."""

    def __call__(self, link: str, *, token_file: str) -> int: ...


def main(arguments: Sequence[str]) -> int:
    """Play one game. Return the exit status."""
    parsed = _parser().parse_args(arguments[1:])
    if parsed.mine:
        return _list_rooms(parsed)
    if parsed.link is not None:
        return _play_in_room(parsed)
    plan = _plan(parsed)
    console = console_for(plain=parsed.plain)
    try:
        LocalGame(plan, console).run()
    except EOFError:
        console.say("Goodbye.")
    except KeyboardInterrupt:
        console.say("\nGoodbye.")
        return INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = command_parser("play")
    parser.add_argument(
        "link", nargs="?", metavar="LINK", help="link of a room to play in; none for a game without a server"
    )
    parser.add_argument("--variant", default="classic", metavar="KEY", help=f"one of {', '.join(VARIANTS)} (classic)")
    parser.add_argument(
        "--level", metavar="NAME", help=f"level of the engine, such as novice or perfect ({DEFAULT_LEVEL})"
    )
    parser.add_argument("--mark", choices=("X", "O", "random"), default="X", help="the mark that you play (X)")
    parser.add_argument(
        "--against",
        choices=("engine", "friend"),
        default="engine",
        help="your opponent; a friend sits at this keyboard",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=MOVE_S,
        help=f"maximum time that the engine searches for a move, in seconds ({MOVE_S:g})",
    )
    parser.add_argument(
        "--plain", action="store_true", help="text without colours and keys, for screen readers; used for pipes anyway"
    )
    parser.add_argument("--name", help="your name in the room of LINK; the server makes one up if you give none")
    parser.add_argument("--token-file", metavar="PATH", help="file that keeps you the same player in the room of LINK")
    parser.add_argument(
        "--mine",
        action="store_true",
        help="list your rooms on the server of LINK, your turn first; needs --token-file",
    )
    return parser


def _list_rooms(parsed: argparse.Namespace) -> int:
    if parsed.link is None or parsed.token_file is None:
        raise UsageError("--mine needs the URL of a server, and --token-file with your player's token.")
    list_rooms: ListRooms = part("room").list_rooms
    return list_rooms(parsed.link, token_file=parsed.token_file)


def _play_in_room(parsed: argparse.Namespace) -> int:
    """Play in a room. The client is imported only now, because a game without a server does not need it."""
    if (parsed.variant, parsed.level, parsed.mark, parsed.against) != ("classic", None, "X", "engine"):
        raise UsageError("the room decides what is played: leave out --variant, --level, --mark and --against.")
    enter: EnterRoom = part("room").enter
    return enter(parsed.link, sits=True, plain=parsed.plain, name=parsed.name, token_file=parsed.token_file)


def _plan(parsed: argparse.Namespace) -> Plan:
    variant = choice("variant", parsed.variant, VARIANTS)
    if not parsed.seconds > 0:
        raise UsageError("--seconds must be more than 0.")
    if parsed.against == "friend":
        if parsed.level is not None:
            raise UsageError("--level is for the engine: leave it out, or play with --against engine.")
        return Plan(variant, None, "X", parsed.seconds)
    level = parsed.level or default_level(levels(variant))
    if level not in levels(variant):
        raise UsageError(f"{variant.name} has no level {level}: choose one of {', '.join(levels(variant))}.")
    return Plan(variant, level, parsed.mark, parsed.seconds)
