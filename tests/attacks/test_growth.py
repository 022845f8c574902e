"""What one address can add to the data file in a day, computed for each line of the table in the documentation."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from noughts.app.runtime.limits import (
    CHAT_ADDRESS,
    GUESTS,
    MAX_ROOMS_OF_ADDRESS,
    MAX_TOURNAMENTS_OF_ADDRESS,
    RESUME,
    SUBSCRIPTIONS_ADDRESS,
)
from noughts.app.runtime.logs import LINE_S, LINES
from noughts.store.coordination import Rate
from noughts.store.kinds import GAMES_BYTES, TOURNAMENT
from noughts.store.machine_store import Change, IndexEntry, Line
from noughts.store.sqlite.changes import store_change
from noughts.store.sqlite.schema import create_statements
from noughts.tournament.storage import tournament_bytes
from tests.project.reading import text_of
from tests.support.tournament_play import new_tournament

DAY_S: Final = 86_400
ALL_MB: Final = 250
SAMPLE: Final = 400
PLAYER: Final = "p_" + 22 * "x"
ROOM_BYTES: Final = 12_000
"""A game of gomoku with a full board, with the ids of players and the time of each move."""
LOG_LINE: Final = 200
IDS_BYTES: Final = 32 * 1024
"""The most bytes of the command ids of a room: tests/room/test_idempotency.py measures them."""
LINES_OF_PLAYERS: Final = 10
"""The texts of lines that an address can cause on a server without faults: rooms and tournaments are made and closed."""


def in_a_day(rate: Rate) -> int:
    return int(rate.burst + rate.per_s * DAY_S)


def guests(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO players VALUES(?,?,?,0)", (f"p_{n:022}", 24 * "\U0001f600", n))
    tokens(store, n)


def tokens(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO tokens VALUES(?,?)", (f"{n:032}".encode(), f"p_{n:022}"))


def codes(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO resume_codes VALUES(?,?,?)", (f"{n:032}".encode(), f"p_{n:022}", 1 << 41))


def rooms(store: sqlite3.Connection, n: int) -> None:
    """Store a room with as many bytes of answered ids as it keeps."""
    index = IndexEntry(1 << 41, "live", "gomoku", ("a" + PLAYER, "b" + PLAYER))
    store_change(store, Change(f"{n:022}", 0, 1, ROOM_BYTES * b"x", index, command_ids=IDS_BYTES * b"x"))


def lines(store: sqlite3.Connection, n: int) -> None:
    line = Line(0, 1 << 41, PLAYER, "X", 280 * "\U0001f600", 200)
    store.execute("INSERT INTO lines VALUES(?,?,?,?,?,?,?)", (f"{n // 100:022}", n, *line[1:]))


def games(store: sqlite3.Connection, n: int) -> None:
    """Fill a room with as many bytes of games as it keeps."""
    for number in range(16):
        store.execute("INSERT INTO games VALUES(?,?,?)", (f"{n:022}", number, GAMES_BYTES // 16 * b"x"))


def tournaments(store: sqlite3.Connection, n: int) -> None:
    """Store a tournament whose list has the longest names."""
    names = tuple([f"{57 * chr(0x1F600)}{number:03}" for number in range(512)])
    value = replace(new_tournament(), id=f"{n:022}", entry="names", names=names)
    index = IndexEntry(1 << 41, "over", "123456", (PLAYER,))
    store_change(store, Change(value.id, 0, 1, tournament_bytes(value), index, kind=TOURNAMENT))


def subscriptions(store: sqlite3.Connection, n: int) -> None:
    endpoint = f"https://x/{n:022}".ljust(2_048, "x")
    values = (endpoint, f"p_{n:022}", 87 * "k", 22 * "a", 48 * "z", 64 * "b", 1 << 41, 0)
    columns = len(store.execute("PRAGMA table_info(subscriptions)").fetchall())
    store.execute(f"INSERT INTO subscriptions VALUES({','.join('?' * columns)})", values[:columns])


ROWS: Final[dict[str, tuple[Callable[[sqlite3.Connection, int], None] | None, int]]] = {
    "rooms at a time": (rooms, MAX_ROOMS_OF_ADDRESS),
    "finished games of these rooms": (games, MAX_ROOMS_OF_ADDRESS),
    "chat lines": (lines, in_a_day(CHAT_ADDRESS.rate)),
    "guests with their tokens": (guests, in_a_day(GUESTS.rate)),
    "second tokens, from resume codes": (tokens, in_a_day(RESUME.rate)),
    "resume codes, one for each guest": (codes, in_a_day(GUESTS.rate)),
    "tournaments that are kept": (tournaments, MAX_TOURNAMENTS_OF_ADDRESS),
    "subscriptions to notices": (subscriptions, in_a_day(SUBSCRIPTIONS_ADDRESS.rate)),
    "log lines about rooms, games, tournaments, limits and connections": (
        None, LINES_OF_PLAYERS * int(LINES + DAY_S / LINE_S),
    ),
}  # fmt: skip


def table() -> dict[str, tuple[str, float]]:
    """Return the number and the megabytes of each line of the documented table."""
    section = (
        text_of("docs/reference/limits.md").partition("## What one address can store in a day")[2].partition("\n## ")[0]
    )
    return {
        what: (number.replace(",", ""), float(size))
        for what, number, size in re.findall(r"^\| ([^|]+) \| ([^|]+) \| (\d+) MB \|$", section, re.M)
    }


def test_the_table_has_every_kind_and_a_sum() -> None:
    assert set(table()) == set(ROWS)
    assert sum(size for _, size in table().values()) <= ALL_MB


@pytest.mark.parametrize("what", ROWS)
def test_a_day_of_one_address_fits_the_table(what: str, tmp_path: Path) -> None:
    add, most = ROWS[what]
    number, documented_mb = table()[what]
    size = float(LOG_LINE)
    if add is not None:
        store = sqlite3.connect(tmp_path / "noughts.db")
        for statement in create_statements():
            store.execute(statement)
        store.commit()
        before = (tmp_path / "noughts.db").stat().st_size
        for n in range(SAMPLE):
            add(store, n)
        store.commit()
        store.close()
        size = ((tmp_path / "noughts.db").stat().st_size - before) / SAMPLE
    print(f"{what}: {most} of {size:.0f} bytes, {most * size / 1e6:.1f} MB")
    assert most * size / 1e6 <= documented_mb
    assert number.startswith(str(GAMES_BYTES // 1024)) or int(number) >= most
