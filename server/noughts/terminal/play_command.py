"""``noughts play``: a game in the terminal, against the engine in this process, a friend at the keyboard, or in a room."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from noughts.command_line import INTERRUPTED, UsageError, choice, command_parser, part
from noughts.engine.levels import DEFAULT_LEVEL, default_level
from noughts.library import MOVE_S, levels
from noughts.rules.variant import VARIANTS
from noughts.terminal.console import console_for
from noughts.terminal.local_game import LocalGame, Plan
from noughts.terminal.words import CLOCK_FORMS


def main(arguments: Sequence[str]) -> int:
    """Play one game. Return the exit status."""
    parsed = _parser().parse_args(arguments[1:])
    if parsed.level is not None and parsed.against in ("friend", "anyone"):
        raise UsageError("--level is for the engine: leave it out, or play with --against engine.")
    if parsed.mine or parsed.link is not None or parsed.server is not None:
        # The client is imported only now, because a game without a server does not need it.
        play: Callable[[argparse.Namespace], int] = part("room").play
        return play(parsed)
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
        return Plan(variant, None, "X", seconds)
    level = parsed.level or default_level(levels(variant))
    if level not in levels(variant):
        raise UsageError(f"{variant.name} has no level {level}: choose one of {', '.join(levels(variant))}.")
    return Plan(variant, level, parsed.mark or "X", seconds)
