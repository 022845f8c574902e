"""Enter a room from the command line: connect, take the console that fits, and leave politely."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path

from noughts.client import ConnectError, Rejected, Room, RoomGone, connect
from noughts.client.links import parse_link
from noughts.command_line import INTERRUPTED, UsageError
from noughts.errors import Rejection
from noughts.terminal.play_command import is_capable_terminal
from noughts.terminal.room_console import PlainRoomConsole, RoomConsole
from noughts.terminal.room_game import RoomGame


def enter(link: str, *, sits: bool, plain: bool, name: str | None, token_file: str | None) -> int:
    """Play or watch in a room until the person leaves or the room is gone. Return the exit status.

    Raise :class:`UsageError` for a link, a name or a token that the server does not accept.
    """
    console: RoomConsole
    if plain or not is_capable_terminal():
        console = PlainRoomConsole(sys.stdin, sys.stdout)
    else:
        console = importlib.import_module("noughts.terminal.prompt_console").PromptConsole()
    try:
        asyncio.run(
            _run(link, console, sits=sits, name=name, token_file=None if token_file is None else Path(token_file))
        )
    except KeyboardInterrupt:
        console.say("\nGoodbye.")
        return INTERRUPTED
    except (ConnectError, RoomGone) as error:
        raise UsageError(str(error)) from None
    except Rejected as rejected:
        if rejected.code == "unauthorized" and token_file is not None:
            raise UsageError(
                f"the server does not know the token in {token_file}: delete the file to come as a new player."
            ) from None
        raise UsageError(rejected.message) from None
    except Rejection as rejection:
        raise UsageError(f"{rejection.message} Update this program.") from None
    return 0


async def _run(link: str, console: RoomConsole, *, sits: bool, name: str | None, token_file: Path | None) -> None:
    server = parse_link(link).server
    if server is None:
        raise UsageError(f"{link} is not a whole link: copy the link of the room from the page.")
    token = _read_token(token_file)
    async with connect(server, name=name, token=token, guest=sits or name is not None) as client:
        if token_file is not None and token is None:
            _write_token(token_file, client.token)
        room = await client.join(link)
        async with room:
            try:
                await RoomGame(client, room, console).run(sits=sits)
            except EOFError:
                console.say(_goodbye(room))
            except RoomGone:
                console.say("The room was closed. Goodbye.")


def _goodbye(room: Room) -> str:
    return "Goodbye. Your seat stays yours for now." if room.you.mark is not None else "Goodbye."


def _read_token(path: Path | None) -> str | None:
    """Return the token that a file holds, None if there is no file yet."""
    if path is None:
        return None
    try:
        return path.read_text("ascii").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"the token file {path} cannot be read: {error}. Name another one.") from None


def _write_token(path: Path, token: str) -> None:
    """Keep a token in a file that only its owner may read."""
    try:
        path.touch(0o600)
        path.write_text(f"{token}\n", "ascii")
    except OSError as error:
        raise UsageError(f"the token file {path} cannot be written: {error.strerror}. Name another one.") from None
