"""The ``noughts`` command: its table of commands, and the way to the module of each.

A command's module is imported when the command is run, not before: ``noughts play`` needs no server and does not pay
for one. A module named in the table has a function ``main(arguments)``, which gets the command's name as the first
argument and returns the exit status.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from noughts import __version__
from noughts.printable import printable

_Chosen = TypeVar("_Chosen")


class Command(NamedTuple):
    """A command: the module that carries it out, and what ``noughts --help`` says about it."""

    module: str
    help: str


_ADMIN: Final = "noughts.app.commands.admin_command"
_STORE: Final = "noughts.app.commands.store_command"

COMMANDS: Final[Mapping[str, Command]] = MappingProxyType(
    {
        "serve": Command("noughts.app.commands.serve_command", "start a server: page, HTTP and WebSocket on one port"),
        "play": Command("noughts.terminal.play_command", "play in the terminal, without a server or in a room"),
        "watch": Command(
            "noughts.terminal.room_command", "watch a room in the terminal, and chat with the people there"
        ),
        "bot": Command("noughts.bots.bot_command", "let a function of your own play on a server"),
        "match": Command("noughts.bots.match_command", "let two levels or bots play against each other"),
        "settings": Command(
            "noughts.app.commands.settings_command",
            "print a file of all settings with their defaults, such as for .env",
        ),
        "admin": Command(_ADMIN, "print a link that opens the admin page of a running server"),
        "rooms": Command(_ADMIN, "list the rooms of a running server"),
        "players": Command(_ADMIN, "list the players who are connected to a running server"),
        "chat": Command(_ADMIN, "print the chat of a room"),
        "rename": Command(_ADMIN, "give a player another name"),
        "forget": Command(_ADMIN, "delete a player"),
        "nodes": Command(_ADMIN, "list the running nodes of a store"),
        "close": Command(_ADMIN, "close a room or a tournament of a running server"),
        "recount": Command(_ADMIN, "count the standings of a tournament again from its matches"),
        "ban": Command(_ADMIN, "ban an address or a player, or list all bans"),
        "health": Command("noughts.app.commands.health_command", "ask a running server whether it can store a move"),
        "doctor": Command("noughts.app.commands.doctor_command", "examine this machine, and the way to a public URL"),
        "backup": Command(_STORE, "copy all data to a file, while the server runs or not"),
        "restore": Command(_STORE, "put a backup in the place of the data, and keep the data from before"),
        "check": Command(_STORE, "read the whole data file and say what is damaged"),
        "copy": Command(_STORE, "copy all data from one store to another"),
    }
)
"""Every command of ``noughts``."""

PARTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "room": "noughts.terminal.room_command",
        "console with keys": "noughts.terminal.prompt_console",
        "nodes": "noughts.store.redis.backend",
        "copies to Redis": "noughts.store.redis.copy_target",
        "documents": "noughts.app.page.documents",
        "encryption": "noughts.app.push.encryption",
        "link picture": "noughts.app.commands.link_picture",
    }
)
"""Parts of commands that are imported when they are needed, because they take long to load."""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C, as shells expect it."""


class UsageError(Exception):
    """The command cannot be carried out. The message is one line that says why, and what to do."""


class Parser(argparse.ArgumentParser):
    """Accepts flags by their full names only: ``--grace`` is a mistake, not ``--grace-ms``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and one line. The usage of ``noughts serve`` alone would fill the screen above it."""
        self.exit(2, f"{self.prog}: {message}. `{self.prog} --help` lists what it accepts.\n")


def command_parser(name: str, more: str = "") -> Parser:
    """Return the parser of a command. Its help says what the command does, and ``more`` sentences."""
    line = COMMANDS[name].help
    return Parser(prog=f"noughts {name}", description=f"{line[0].upper()}{line[1:]}. {more}".rstrip())


def choice(kind: str, key: str, choices: Mapping[str, _Chosen]) -> _Chosen:
    """Return what a key chooses, such as a variant. Raise :class:`UsageError` with all keys if there is no such key."""
    if key not in choices:
        raise UsageError(f"there is no {kind} {key!r}: choose one of {', '.join(choices)}.")
    return choices[key]


def part(name: str) -> ModuleType:
    """Import a part of a command. The part must not import the module that calls this."""
    return importlib.import_module(PARTS[name])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        _parser().print_help(sys.stderr)
        return 2
    command = COMMANDS.get(given[0])
    if command is None:
        for near in difflib.get_close_matches(given[0], COMMANDS, n=1):
            _parser().error(f"there is no command {given[0]!r}: the nearest is `{near}`")
        _parser().parse_args(given)  # prints the help or the version, or says which commands there are, and exits
        return 2
    try:
        run: Callable[[Sequence[str]], int] = importlib.import_module(command.module).main
        return run(given)
    except UsageError as error:
        print(f"noughts: {printable(str(error))}", file=sys.stderr)
        return 2
    except PermissionError as error:
        if error.filename is None:
            raise
        place = printable(str(error.filename))
        print(
            f"noughts: {place} cannot be used: {error.strerror}. Run this as the account that owns it, or give it to this"
            " account with chown.",
            file=sys.stderr,
        )
        return 2
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="noughts", description="Tic-tac-toe and its family: a server, an engine, and tools for bots.")
    parser.add_argument("--version", action="version", version=f"noughts {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        commands.add_parser(name, help=command.help)
    return parser
