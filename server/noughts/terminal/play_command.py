"""``noughts play``: a game in the terminal, against the engine in this process, a friend at the keyboard, or in a room."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final, Protocol

from noughts.command_line import INTERRUPTED, UsageError, choice, command_parser, part
from noughts.engine.levels import DEFAULT_LEVEL, default_level
from noughts.library import MOVE_S, levels
from noughts.rules.variant import VARIANTS
from noughts.terminal.console import console_for
from noughts.terminal.local_game import LocalGame, Plan
from noughts.terminal.new_room import CLOCK_FORMS, NewRoom, Opponent


class EnterRoom(Protocol):
    """:func:`noughts.terminal.room_command.enter`."""

    def __call__(self, link: str, *, sits: bool, plain: bool, name: str | None, token_file: str | None) -> int: ...


class MakeRoom(Protocol):
    """:func:`noughts.terminal.room_command.make_room`."""

    def __call__(self, room: NewRoom, *, plain: bool, name: str | None, token_file: str | None) -> int: ...


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
    if parsed.server is not None:
        return _play_in_new_room(parsed)
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
    parser.add_argument("--server", metavar="URL", help="make a room on this server, print its link, and play there")
    parser.add_argument("--variant", metavar="KEY", help=f"one of {', '.join(VARIANTS)} (classic)")
    parser.add_argument(
        "--level", metavar="NAME", help=f"level of the engine, such as novice or perfect ({DEFAULT_LEVEL})"
    )
    parser.add_argument("--mark", choices=("X", "O", "random"), help="the mark that you play (X)")
    parser.add_argument(
        "--against",
        choices=("engine", "friend", "anyone"),
        help="your opponent. A friend sits at this keyboard, or opens the link with --server. anyone needs --server, "
        "and puts the room into the lobby (engine; with --server and without --level friend)",
    )
    parser.add_argument(
        "--clock", metavar="TIME", help=f"clock of a room with --server, none by default: {CLOCK_FORMS}"
    )
    parser.add_argument(
        "--first-to",
        type=int,
        metavar="N",
        help="wins that decide a series in a room with --server, 1 to 20; one game at a time by default",
    )
    parser.add_argument(
        "--fair-start",
        action="store_true",
        help="let O take X's side after the first move, in a room with --server",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        help=f"maximum time that the engine searches for a move without a server, in seconds ({MOVE_S:g})",
    )
    parser.add_argument(
        "--plain", action="store_true", help="text without colours and keys, for screen readers; used for pipes anyway"
    )
    parser.add_argument("--name", help="your name in a room; the server makes one up if you give none")
    parser.add_argument("--token-file", metavar="PATH", help="file that keeps you the same player on the server")
    parser.add_argument(
        "--mine",
        action="store_true",
        help="list your rooms on the server of LINK or --server, your turn first; needs --token-file",
    )
    return parser


def _list_rooms(parsed: argparse.Namespace) -> int:
    link = parsed.link or parsed.server
    if link is None or parsed.token_file is None:
        raise UsageError("--mine needs the URL of a server, and --token-file with your player's token.")
    list_rooms: ListRooms = part("room").list_rooms
    return list_rooms(link, token_file=parsed.token_file)


def _play_in_room(parsed: argparse.Namespace) -> int:
    """Play in a room. The client is imported only now, because a game without a server does not need it."""
    if parsed.server is not None:
        raise UsageError("the link names the server: leave out --server, or leave out the link to make a room.")
    chosen = (parsed.variant, parsed.level, parsed.mark, parsed.against, parsed.clock, parsed.first_to)
    if parsed.fair_start or any(value is not None for value in chosen):
        raise UsageError(
            "the room decides what is played: leave out --variant, --level, --mark, --against, --clock, --first-to "
            "and --fair-start."
        )
    enter: EnterRoom = part("room").enter
    return enter(parsed.link, sits=True, plain=parsed.plain, name=parsed.name, token_file=parsed.token_file)


def _play_in_new_room(parsed: argparse.Namespace) -> int:
    """Make a room on a server and play there. The server judges the variant and the level, and may have others."""
    if parsed.seconds is not None:
        raise UsageError("the server's engine has its own time: leave out --seconds.")
    against: Opponent = parsed.against or ("friend" if parsed.level is None else "engine")
    if against != "engine" and parsed.level is not None:
        raise UsageError(_LEVEL_WITHOUT_ENGINE)
    room = NewRoom(
        parsed.server,
        parsed.variant or "classic",
        against,
        parsed.level,
        parsed.mark or "X",
        parsed.clock,
        parsed.first_to,
        parsed.fair_start,
    )
    make_room: MakeRoom = part("room").make_room
    return make_room(room, plain=parsed.plain, name=parsed.name, token_file=parsed.token_file)


_LEVEL_WITHOUT_ENGINE: Final = "--level is for the engine: leave it out, or play with --against engine."


def _plan(parsed: argparse.Namespace) -> Plan:
    variant = choice("variant", parsed.variant or "classic", VARIANTS)
    seconds = MOVE_S if parsed.seconds is None else parsed.seconds
    if not seconds > 0:
        raise UsageError("--seconds must be more than 0.")
    if parsed.against == "anyone" or parsed.fair_start or parsed.clock is not None or parsed.first_to is not None:
        raise UsageError(
            "--against anyone, --clock, --first-to and --fair-start need a room: give --server with the URL of a server."
        )
    if parsed.against == "friend":
        if parsed.level is not None:
            raise UsageError(_LEVEL_WITHOUT_ENGINE)
        return Plan(variant, None, "X", seconds)
    level = parsed.level or default_level(levels(variant))
    if level not in levels(variant):
        raise UsageError(f"{variant.name} has no level {level}: choose one of {', '.join(levels(variant))}.")
    return Plan(variant, level, parsed.mark or "X", seconds)
