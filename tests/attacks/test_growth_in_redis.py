"""What one address can add to a Redis in a day: each kind of key belongs to a line of the documented table, and fits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from noughts.app.runtime.addresses import LOOPBACK
from noughts.store.contract import Store, StoredPlayer, Subscription
from noughts.store.kinds import GAMES_BYTES, TOURNAMENT
from noughts.store.machine_store import Change, IndexEntry, Line
from noughts.tournament.storage import tournament_bytes
from tests.attacks.test_growth import (
    GAME_BYTES,
    IDS_BYTES,
    MATCH_BYTES,
    PLAYER,
    ROOM_BYTES,
    ROWS,
    long_tournament,
    table,
    visit,
)
from tests.support.commits import answered, commit, commit_all
from tests.support.local_server import local_server
from tests.support.push_service import CONTACT
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.redis_stores import new_backend, redis_nodes

SAMPLE: Final = 100
CHAT_OF_ROOM: Final = 100
KEYS: Final[dict[str, frozenset[str]]] = {
    "rooms at a time": frozenset({"room", "ids", "of", "here", "created", "wake", "open", "live", "match"}),
    "finished games of these rooms": frozenset({"games"}),
    "chat lines": frozenset({"lines", "wrote"}),
    "guests with their tokens": frozenset({"player", "seen", "tokens", "token_times"}),
    "second tokens, from resume codes": frozenset({"tokens", "token_times"}),
    "resume codes, one for each guest": frozenset({"codes", "code_of", "code_ends"}),
    "players whom a proxy's sign-on names": frozenset({"sign_ons", "sign_on_of"}),
    "tournaments that are kept, with all their entrants": frozenset(
        f"tournament:{name}" for name in ("value", "ids", "of", "here", "created", "wake", "over", "over_unlisted")
    ),
    "matches of these tournaments, with their games": frozenset({"tournament:records"}),
    "subscriptions to notices": frozenset({"push", "push_of", "push_keys", "push_fails"}),
}
"""The first words of the keys of each line."""
OF_THE_SERVERS: Final = frozenset(
    "bans clock dead downtime_count downtimes nodes online order passes schema secrets statuses tournament:order".split()
)
"""Those to which only the operator and the servers themselves add anything, and numbers."""
PASSING: Final = "credit"
"""Those that expire."""


def kind_of(key: str) -> str:
    words = key.partition("}:")[2].split(":")
    return ":".join(words[:2]) if words[0] == TOURNAMENT else words[0]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """Start a Redis of the test's own."""
    with redis_farm(tmp_path / "redis") as farm:
        yield farm.server(appendonly="no", save="")


async def test_each_kind_of_key_is_in_the_table(tmp_path: Path, redis: RedisServer) -> None:
    backend = new_backend(redis, tmp_path)
    settings: dict[str, Any] = {"trusted": LOOPBACK, "name_header": "Remote-User", "contact": CONTACT}
    async with local_server(tmp_path, backend=backend, **settings) as server:
        await visit(server)
        keys = redis.keys()
    kinds = {kind_of(key) for key in keys}
    assert kinds - OF_THE_SERVERS - {PASSING} - frozenset[str]().union(*KEYS.values()) == set()
    assert [key for key in keys if kind_of(key) == PASSING and int(redis.command("TTL", key)) < 0] == []
    print(f"{len(keys)} keys of {len(kinds)} kinds")


async def test_a_day_of_one_address_fits_the_table(tmp_path: Path, redis: RedisServer) -> None:
    async with redis_nodes(redis, tmp_path) as nodes:
        await fill((await nodes.node("one")).store)
        sizes: Counter[str] = Counter()
        for key in redis.keys("*"):
            sizes[kind_of(key)] += int(redis.command("MEMORY", "USAGE", key, "SAMPLES", 0))
    limits = table(in_redis=True)
    sizes_mb = {what: sum(sizes[kind] for kind in kinds) / SAMPLE * ROWS[what][1] / 1e6 for what, kinds in KEYS.items()}
    print({what: (round(size, 1), limits[what][1]) for what, size in sizes_mb.items()})
    assert [what for what, size in sizes_mb.items() if size > limits[what][1]] == []


async def fill(store: Store) -> None:
    """Store as many of each line, as large as they may be."""
    rooms, tournaments = store.machines("room"), store.machines(TOURNAMENT)
    ids = answered(*((PLAYER, f"{n:064}", n) for n in range(IDS_BYTES // (len(PLAYER) + 64))))
    players = [f"p_{n:022}" for n in range(SAMPLE)]
    for n, player in enumerate(players):
        word = f"{n:032}".encode()
        await store.sign_on(word, StoredPlayer(player, 24 * "\U0001f600", (1 << 41) + n), word, 1 << 41)
        await store.add_resume_code(word, player, 1 << 41)
        endpoint = f"https://x/{n:022}".ljust(2_048, "x")
        await store.subscribe(Subscription(endpoint, player, 87 * "k", 22 * "a", 48 * "z", 64 * "b", 1 << 41))
        index = IndexEntry(1 << 41, "live", "gomoku", (PLAYER, player))
        games = tuple((number, GAMES_BYTES // 16 * b"x") for number in range(16))
        data = ROOM_BYTES * b"x"
        await commit(rooms, Change(f"{n:022}", 0, 1, data, index, command_ids=ids, records=games))
        value = long_tournament(n)
        index = IndexEntry(1 << 41, "over", "123456", (PLAYER, *(each.player for each in value.entrants)))
        data = tournament_bytes(value)
        row = [(4 * n + k, size * b"x") for k, size in enumerate((MATCH_BYTES, GAME_BYTES, GAME_BYTES))]
        await commit(tournaments, Change(value.id, 0, 1, data, index, records=tuple(row), kind=TOURNAMENT))
    line = Line(0, 1 << 41, PLAYER, "X", 280 * "\U0001f600", 200)
    for room in range(SAMPLE // CHAT_OF_ROOM):
        await commit_all(rooms, [Change(f"{room:022}", 1, 1, line=line) for _ in range(CHAT_OF_ROOM)])
