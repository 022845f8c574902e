"""``noughts check``: read the whole data file and say what is damaged, while the server runs or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from noughts.app.commands.archives import failure, file_of
from noughts.app.runtime.setting_flags import add_setting_flags, settings_of
from noughts.command_line import command_parser
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.checking import check_file

DAMAGED: Final = 1
"""The exit status for a damaged file."""


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return 0 for a file that is whole, 1 for a damaged one."""
    parser = command_parser("check", "Nothing is written to it.")
    add_setting_flags(parser, "data", "store")
    path = file_of(settings_of(parser.parse_args(arguments[1:])))
    print(f"{path}: reading", flush=True)
    try:
        health = check_file(path, lambda line: print(line, flush=True))
    except (SchemaError, StoreUnavailableError) as error:
        raise failure(error) from None
    for sentence in health.damage:
        print(f"damaged: {sentence}")
    for room in health.unreadable_rooms:
        print(f"room {room} cannot be read: remove it with `noughts close {room}` while the server runs")
    for room in health.lost_rooms:
        print(f"room {room} is lost: other parts of the file name it, and its row is gone or damaged")
    counts = f"{health.rooms:,} rooms, {health.players:,} guests"
    if health.whole:
        print(f"{path} is whole: {counts}")
        return 0
    if health.damage or health.lost_rooms:
        print(
            f"{path} is damaged. Stop the server, and put a backup in its place;"
            " or save what can be read as docs/how-to/repair.md says."
        )
    return DAMAGED
