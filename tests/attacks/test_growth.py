"""What one address can add to the data file in a day, computed for each line of the table in the documentation."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from noughts.app.runtime.addresses import LOOPBACK
from noughts.app.runtime.limits import (
    CHAT_ADDRESS,
    GUESTS,
    MAX_MATCHES_OF_ADDRESS,
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
from noughts.tournament.tournament import Tournament
from tests.project.reading import text_of
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, enter, friends_room, guest
from tests.support.push_browser import Browser
from tests.support.push_service import CONTACT
from tests.support.tournament_client import new_cup, until_tournament
from tests.support.tournament_play import full_tournament, new_tournament

DAY_S: Final = 86_400
ALL_MB: Final = 650
SAMPLE: Final = 400
LARGE: Final = 20
"""How many rows of the largest kind are a sample."""
PLAYER: Final = "p_" + 22 * "x"
ROOM_BYTES: Final = 12_000
"""A game of gomoku with a full board, with the ids of players and the time of each move."""
GAME_BYTES: Final = 7_300
"""The same game as it is kept after its end."""
MATCH_BYTES: Final = 200
LOG_LINE: Final = 200
IDS_BYTES: Final = 32 * 1024
"""The most bytes of the command ids of a room: tests/room/test_idempotency.py measures them."""
LINES_OF_PLAYERS: Final = 10
"""The texts of lines that an address can cause on a server without faults: rooms and tournaments are made and closed."""


def in_a_day(rate: Rate) -> int:
    return int(rate.burst + rate.per_s * DAY_S)


def guests(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO players VALUES(?,?,?,0)", (f"p_{n:022}", 24 * "\U0001f600", (1 << 41) + n))
    tokens(store, n)


def tokens(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO tokens VALUES(?,?)", (f"{n:032}".encode(), f"p_{n:022}"))
    store.execute("INSERT INTO token_times VALUES(?,?,?)", (f"{n:032}".encode(), 1 << 41, 1 << 41))


def sign_ons(store: sqlite3.Connection, n: int) -> None:
    store.execute("INSERT INTO sign_ons VALUES(?,?)", (f"{n:032}".encode(), f"p_{n:022}"))


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


def long_tournament(n: int) -> Tournament:
    """Return a full tournament whose list has the longest names."""
    names = tuple([f"{57 * chr(0x1F600)}{number:03}" for number in range(512)])
    players = [f"p_{number:022}" for number in range(512)]
    entrants = [
        replace(each, player=player, name=name)
        for each, player, name in zip(full_tournament().entrants, players, names, strict=True)
    ]
    return replace(new_tournament(), id=f"{n:022}", entry="names", names=names, entrants=tuple(entrants))


def tournaments(store: sqlite3.Connection, n: int) -> None:
    value = long_tournament(n)
    index = IndexEntry(1 << 41, "over", "123456", (PLAYER, *(each.player for each in value.entrants)))
    store_change(store, Change(value.id, 0, 1, tournament_bytes(value), index, kind=TOURNAMENT))


def matches(store: sqlite3.Connection, n: int) -> None:
    """Store a match of two games, for whose moves an address has messages."""
    for row, size in enumerate((MATCH_BYTES, GAME_BYTES, GAME_BYTES), 4 * n):
        store.execute("INSERT INTO tournament_records VALUES(?,?,?)", (22 * "t", row, size * b"x"))


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
    "players whom a proxy's sign-on names": (sign_ons, in_a_day(GUESTS.rate)),
    "tournaments that are kept, with all their entrants": (tournaments, MAX_TOURNAMENTS_OF_ADDRESS),
    "matches of these tournaments, with their games": (matches, MAX_MATCHES_OF_ADDRESS),
    "subscriptions to notices": (subscriptions, in_a_day(SUBSCRIPTIONS_ADDRESS.rate)),
    "log lines about rooms, games, tournaments, limits and connections": (
        None, LINES_OF_PLAYERS * int(LINES + DAY_S / LINE_S),
    ),
}  # fmt: skip


TABLES: Final[dict[str, str]] = {
    "players": "guests with their tokens",
    "tokens": "guests with their tokens",
    "token_times": "guests with their tokens",
    "sign_ons": "players whom a proxy's sign-on names",
    "resume_codes": "resume codes, one for each guest",
    "rooms": "rooms at a time",
    "seated": "rooms at a time",
    "games": "finished games of these rooms",
    "lines": "chat lines",
    "tournaments": "tournaments that are kept, with all their entrants",
    "tournament_owners": "tournaments that are kept, with all their entrants",
    "tournament_records": "matches of these tournaments, with their games",
    "subscriptions": "subscriptions to notices",
}
"""The line of the table for each table of the file that visitors can add rows to."""
OF_THE_OPERATOR: Final = frozenset({"bans", "passes", "secrets", "alive", "writer", "downtimes", "tournament_lines"})
"""Those that only the operator and the server itself add rows to, and one that nothing does."""


def table(*, in_redis: bool = False) -> dict[str, tuple[str, float]]:
    """Return the number and the megabytes of each line of the documented table, in a file or in Redis."""
    section = (
        text_of("docs/reference/limits.md").partition("## What one address can store in a day")[2].partition("\n## ")[0]
    )
    return {
        what: (number.replace(",", ""), float(redis if in_redis else size))
        for what, number, size, redis in re.findall(
            r"^\| ([^|]+) \| ([^|]+) \| (\d+) MB \| (\d+) MB \|$", section, re.M
        )
    }


def test_the_table_has_every_kind_and_a_sum() -> None:
    assert set(table()) == set(ROWS)
    for in_redis in (False, True):
        assert sum(size for _, size in table(in_redis=in_redis).values()) <= ALL_MB


async def visit(server: LocalServer) -> None:
    """Leave the longest trace of every kind, as one address may through the public API."""
    ann, ben = [await guest(server.url, 24 * "\U0001f600") for _ in range(2)]
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    await ann.post("/api/players/resume", {"code": code})
    await ben.post("/api/players/me/resume-code")
    status, _ = await Api(server.url).call("POST", "/api/players", {}, {"Remote-User": 256 * "x"})
    assert status == 201
    endpoint = "https://fcm.googleapis.com/fcm/send/".ljust(2_048, "x")
    body = Browser.new().subscription(endpoint) | {"zone": "America/Argentina/ComodRivadavia"}
    await ann.post("/api/players/me/push", body)
    answer = await friends_room(server, ann, variant="gomoku")
    room = answer["room"]["id"]
    async with enter(server, room, ann) as x, enter(server, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
        await x.ok("chat", text=280 * "\U0001f600")
        for ply, cell in enumerate(full_board()):
            player = (x, o)[ply % 2]
            await player.until_room(partial(has_plies, ply))
            await player.move(cell)
        assert (x.room["phase"], len(x.room["game"]["moves"])) == ("finished", 225)
    names = [f"{57 * chr(0x1F600)}{number:03}" for number in range(2)]
    cup = await new_cup(server, "arena", entry="names", names=names, games=1, variant="gomoku")
    entrants = [await cup.entrant(name=name) for name in names]
    await cup.ok("start")
    async with cup.socket(entrants[0].api) as socket:
        message = await until_tournament(socket, lambda message: message["you"]["match"] is not None)
    async with enter(server, message["you"]["match"]["room"], entrants[0].api) as player:
        await player.ok("resign")
    await cup.ok("stop")
    await cup.until_over()


def has_plies(ply: int, view: Message) -> bool:
    return len(view["game"]["moves"]) == ply


def full_board() -> list[str]:
    """Return the moves of a game of gomoku in which nobody has five in a row when the board is full."""
    marks = {
        f"{chr(97 + column)}{row + 1}": "XXOO"[(column + 2 * row) % 4] for row in range(15) for column in range(15)
    }
    sides = {mark: [cell for cell, owner in marks.items() if owner == mark] for mark in "XO"}
    while len(sides["X"]) != len(sides["O"]) + 1:
        more, less = ("X", "O") if len(sides["X"]) > len(sides["O"]) else ("O", "X")
        sides[less].append(sides[more].pop())
    return [sides["XO"[ply % 2]][ply // 2] for ply in range(225)]


def row_bytes(path: Path) -> dict[str, int]:
    """Return the bytes of the longest row of each table that has rows."""
    with closing(sqlite3.connect(path)) as store:
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        longest = {}
        for name in names:
            columns = [column for _, column, *_ in store.execute(f"PRAGMA table_info({name})")]
            length = "+".join([f"coalesce(length(CAST({column} AS BLOB)),0)" for column in columns])
            if (most := store.execute(f"SELECT max({length}) FROM {name}").fetchone()[0]) is not None:
                longest[name] = most
        return longest


async def test_what_an_address_stores_is_no_longer_than_the_table_says(tmp_path: Path) -> None:
    async with local_server(tmp_path, trusted=LOOPBACK, name_header="Remote-User", contact=CONTACT) as server:
        await visit(server)
    stored = row_bytes(tmp_path / "noughts.db")
    assert stored.keys() - OF_THE_OPERATOR == set(TABLES)
    with closing(sqlite3.connect(tmp_path / "sample.db")) as sample:
        for statement in create_statements():
            sample.execute(statement)
        for number, what in enumerate(dict.fromkeys(TABLES.values())):
            add, _ = ROWS[what]
            assert add is not None
            add(sample, number)
        sample.commit()
    longest = row_bytes(tmp_path / "sample.db")
    print({name: (stored[name], longest[name]) for name in TABLES})
    assert [name for name in TABLES if stored[name] > longest[name]] == []


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
        sample = LARGE if add is tournaments else SAMPLE
        for n in range(sample):
            add(store, n)
        store.commit()
        store.close()
        size = ((tmp_path / "noughts.db").stat().st_size - before) / sample
    print(f"{what}: {most} of {size:.0f} bytes, {most * size / 1e6:.1f} MB")
    assert most * size / 1e6 <= documented_mb
    assert number.startswith(str(GAMES_BYTES // 1024)) or int(number) >= most
