"""``noughts bot``: let a function of your own play on a server."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import msgspec

from noughts.bots.bot_file import BotError
from noughts.bots.bot_player import BotPlan, BotPlayer
from noughts.bots.chooser import MOST_FAILURES, ChooserPool
from noughts.bots.level_chooser import LevelChooser
from noughts.client import ClientError, MoveClock, Rejected
from noughts.client.token_file import unknown_token
from noughts.command_line import Parser, UsageError, choice, command_parser
from noughts.engine.levels import LEVELS
from noughts.printable import printable, printable_lines
from noughts.rules.variant import VARIANTS


def main(arguments: Sequence[str]) -> NoReturn:
    """Run a bot until Ctrl-C, or until its tournament is over. Raise :class:`UsageError`."""
    parsed = _parser().parse_args(arguments[1:])
    for variant in parsed.variant or ():
        choice("variant", variant, VARIANTS)
    if parsed.rooms < 1 or not parsed.seconds > 0:
        raise UsageError("--rooms and --seconds must be more than 0.")
    plan = BotPlan(
        server=parsed.server,
        variants=tuple(parsed.variant or ("classic",)),
        rooms=parsed.rooms,
        name=parsed.name,
        against=parsed.against,
        clock=None if parsed.clock is None else _clock(parsed.clock),
        token_file=parsed.token_file,
        pin=parsed.join,
    )
    if (parsed.file is None) == (parsed.level is None):
        raise UsageError("Name a FILE.py or a --level, and not both.")
    size = min(plan.rooms, 2 * (os.cpu_count() or 1))
    seconds = parsed.seconds
    if parsed.level is not None:
        choice("level", parsed.level, dict.fromkeys(LEVELS))
        asyncio.run(_run(plan, LevelChooser(parsed.level)))
    else:
        asyncio.run(_run(plan, ChooserPool(parsed.file, size, seconds)))
    sys.exit(0)


def _clock(seconds: float) -> MoveClock:
    """Return a clock with this many seconds for each move. Raise :class:`UsageError` for a time that no server accepts."""
    try:
        return msgspec.convert({"mode": "move", "move_ms": round(seconds * 1_000)}, MoveClock)
    except (msgspec.ValidationError, ValueError, OverflowError):
        raise UsageError("--clock must be at least 3 and at most 86400 seconds.") from None


async def _run(plan: BotPlan, pool: ChooserPool | LevelChooser) -> None:
    try:
        await pool.start()
        await BotPlayer(plan, pool, report).run()
    except BotError as error:
        print(error.detail, end="", file=sys.stderr)
        raise UsageError(error.reason) from None
    except BaseExceptionGroup as group:
        first = next(iter(group.exceptions))
        if isinstance(first, BotError):
            raise UsageError(f"{first.reason} It failed {MOST_FAILURES} times running, so it stops.") from None
        if isinstance(first, ClientError):
            raise UsageError(_words(first, plan.token_file)) from None
        raise
    except ClientError as error:
        raise UsageError(_words(error, plan.token_file)) from None
    finally:
        await pool.stop()


def report(room: str, text: str, detail: str = "") -> None:
    """Print a line about a room, and the traceback of a bot's failure."""
    where = f" {room}" if room else ""
    print(printable(f"{time.strftime('%H:%M:%S')}{where} {text}"), flush=True)
    if detail:
        print(printable_lines(detail), end="", file=sys.stderr, flush=True)


def _words(error: ClientError, token_file: Path | None) -> str:
    """Return what to do about an error."""
    if not isinstance(error, Rejected):
        return str(error)
    return unknown_token(token_file) if error.code == "unauthorized" else error.message


def _parser() -> Parser:
    parser = command_parser("bot")
    parser.add_argument(
        "file",
        metavar="FILE.py",
        type=Path,
        nargs="?",
        help="Python with a function choose(view) that returns a cell",
    )
    parser.add_argument("--level", metavar="LEVEL", help="play as the engine at this level, instead of FILE.py")
    parser.add_argument("--join", metavar="PIN", help="play in the tournament with this PIN until it is over")
    parser.add_argument("--server", default="http://127.0.0.1:8000", metavar="URL", help="the server (%(default)s)")
    parser.add_argument(
        "--variant",
        action="append",
        metavar="KEY",
        help="a variant to play, classic by default; may be given several times",
    )
    parser.add_argument("--name", help="the bot's name (the server makes one up)")
    parser.add_argument("--rooms", type=int, default=1, metavar="K", help="rooms at once (%(default)s)")
    parser.add_argument(
        "--token-file", type=Path, metavar="PATH", help="keeps the bot's secret: it comes back as the same player"
    )
    parser.add_argument("--seconds", type=float, default=30.0, metavar="S", help="time for a move (%(default)s)")
    parser.add_argument("--against", metavar="LEVEL", help="play the engine at this level, instead of people")
    parser.add_argument("--clock", type=float, metavar="S", help="seconds that each side has for a move (no clock)")
    return parser
