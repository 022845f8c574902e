"""``noughts watch LINK``, and the parts of ``noughts play`` that enter or make a room and list your rooms."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Final

from noughts.client import Client, ConnectError, Rejected, Room, RoomGone, connect
from noughts.client.links import parse_link, server_url
from noughts.client.token_file import TokenFile, TokenFileError, unknown_token
from noughts.command_line import INTERRUPTED, UsageError, command_parser
from noughts.errors import Rejection
from noughts.room.creation import Opponent
from noughts.terminal.clock_text import clock_of
from noughts.terminal.console import Console, PlainConsole, console_with_keys
from noughts.terminal.my_rooms import NO_ROOMS, room_lines
from noughts.terminal.room_console import InterruptError, PlainRoomConsole, RoomConsole
from noughts.terminal.room_game import RoomGame


def play(parsed: argparse.Namespace) -> int:
    """Play in the room of a link or in a new one, or list rooms, as the options of ``noughts play`` say.

    Return the exit status. Raise :class:`UsageError` for a link, a room, a name or a token that is not accepted.
    """
    if parsed.mine:
        return _list_rooms(parsed)
    return _play_in_room(parsed) if parsed.link is not None else _play_in_new_room(parsed)


def _play_in_room(parsed: argparse.Namespace) -> int:
    if parsed.server is not None:
        raise UsageError("the link names the server: leave out --server, or leave out the link to make a room.")
    chosen = (parsed.variant, parsed.level, parsed.mark, parsed.against, parsed.clock, parsed.first_to)
    if parsed.fair_start or any(value is not None for value in chosen):
        raise UsageError(
            "the room decides what is played: leave out --variant, --level, --mark, --against, --clock, --first-to "
            "and --fair-start."
        )
    return _enter(parsed.link, sits=True, plain=parsed.plain, name=parsed.name, file=_path(parsed.token_file))


def _enter(link: str, *, sits: bool, plain: bool, name: str | None, file: Path | None) -> int:
    """Play or watch in a room until the person leaves or the room is gone. Return the exit status."""
    console = _console(plain=plain)

    async def run() -> int:
        server = parse_link(link).server
        if server is None:
            raise UsageError(f"{link} is not a whole link: copy the link of the room from the page.")
        return await _run(server, lambda client: client.join(link), console, sits=sits, name=name, file=file)

    return _outcome(run(), console, file)


def _play_in_new_room(parsed: argparse.Namespace) -> int:
    """Make a room, print its link, and play there. The server judges the variant and the level, and may have others."""
    if parsed.seconds is not None:
        raise UsageError("the server's engine has its own time: leave out --seconds.")
    against: Opponent = parsed.against or ("friend" if parsed.level is None else "engine")
    clock = None if parsed.clock is None else clock_of(parsed.clock)
    path, console = _path(parsed.token_file), _console(plain=parsed.plain)

    async def room_of(client: Client) -> Room:
        room = await client.create(
            parsed.variant or "classic",
            opponent=against,
            level=parsed.level,
            mark=parsed.mark or "X",
            clock=clock,
            first_to=parsed.first_to,
            swap=parsed.fair_start,
        )
        console.say(f"{_INVITATIONS[against]}\n  {room.url if against == 'friend' else room.watch_url}")
        return room

    async def run() -> int:
        return await _run(server_url(parsed.server), room_of, console, sits=True, name=parsed.name, file=path)

    return _outcome(run(), console, path)


_INVITATIONS: Final = {
    "friend": "Send this link to your friend:",
    "anyone": "The room is in the lobby. This link leads to it too:",
    "engine": "This link shows the room:",
}


def _path(token_file: str | None) -> Path | None:
    return None if token_file is None else Path(token_file)


def _console(*, plain: bool) -> RoomConsole:
    console: RoomConsole | None = console_with_keys(plain=plain)
    return console or PlainRoomConsole(sys.stdin, sys.stdout)


def _list_rooms(parsed: argparse.Namespace) -> int:
    """List the rooms of the player of a token file on a server: that of a room's link, or the server's URL."""
    link = parsed.link or parsed.server
    if link is None or parsed.token_file is None:
        raise UsageError("--mine needs the URL of a server, and --token-file with your player's token.")
    path = Path(parsed.token_file)
    console = PlainConsole(sys.stdin, sys.stdout)
    return _outcome(_list(link, console, path), console, path)


async def _list(link: str, console: Console, path: Path) -> int:
    server = (parse_link(link).server if "/r/" in link else None) or server_url(link)
    token_file = TokenFile(path, server)
    if token_file.token is None:
        raise UsageError(f"the token file {path} is new: play in a room with it first.")
    async with connect(server, token=token_file.token) as client:
        if token_file.is_old:
            token_file.keep(client.token)
        rooms = await client.rooms()
    now_ms = time.time() * 1000
    console.say("\n".join([room_lines(room, client.url, now_ms) for room in rooms]) or NO_ROOMS)
    return 0


def _outcome(work: Coroutine[object, None, int], console: Console | RoomConsole, path: Path | None) -> int:
    """Return the exit status of what a command does on a server. Raise :class:`UsageError` for what it does not accept."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        console.say("\nGoodbye.")
        return INTERRUPTED
    except (ConnectError, RoomGone, TokenFileError) as error:
        raise UsageError(str(error)) from None
    except Rejected as rejected:
        if rejected.code == "unauthorized" and path is not None:
            raise UsageError(unknown_token(path)) from None
        raise UsageError(rejected.message) from None
    except Rejection as rejection:
        raise UsageError(f"{rejection.message} Update this program.") from None


async def _run(
    server: str,
    room_of: Callable[[Client], Awaitable[Room]],
    console: RoomConsole,
    *,
    sits: bool,
    name: str | None,
    file: Path | None,
) -> int:
    """Play or watch in the room that ``room_of`` finds or makes, and return the exit status."""
    token_file = TokenFile(file, server)
    async with connect(server, name=name, token=token_file.token, guest=sits or name is not None) as client:
        if sits and (token_file.token is None or token_file.is_old):
            token_file.keep(client.token)
        room = await room_of(client)
        async with room:
            try:
                await RoomGame(room, console).run(sits=sits)
            except EOFError as error:
                console.say(_goodbye(room))
                return INTERRUPTED if isinstance(error, InterruptError) else 0
            except RoomGone:
                console.say("The room was closed. Goodbye.")
    return 0


def _goodbye(room: Room) -> str:
    return "Goodbye. Your seat stays yours for now." if room.you.mark is not None else "Goodbye."


def main(arguments: Sequence[str]) -> int:
    """Watch a room until the person leaves. Return the exit status."""
    parser = command_parser("watch")
    parser.add_argument("link", metavar="LINK", help="link of a room")
    parser.add_argument("--name", help="your name for the chat; without one you are a nameless spectator")
    parser.add_argument("--plain", action="store_true", help="text without colours and keys, for screen readers")
    parsed = parser.parse_args(arguments[1:])
    return _enter(parsed.link, sits=False, plain=parsed.plain, name=parsed.name, file=None)
