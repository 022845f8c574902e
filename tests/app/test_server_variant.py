"""The whole server: a new variant, its processes, start and stop."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.app.search.pool import SearchPool
from noughts.rules.variant import VARIANTS
from noughts.store.sqlite.store import SqliteStore
from tests.conftest import StartServer
from tests.support.local_server import local_server
from tests.support.player import WAIT_S, Api, enter, guest
from tests.support.responses import raw_response
from tests.support.rooms import engine_room, pair
from tests.support.searching import is_alive, until
from tests.support.server import QUICK, RunningServer

# --- a new variant ------------------------------------------------------------------------------------------------

PACKAGE = Path(__file__).parents[2] / "server" / "noughts"
LAST_ENTRY = '    Variant("4x4", '
NEW_ENTRY = '    Variant("6x5", "Six by five", "Four in a line wins, on six by five.", (6, 5), 4),\n'


@pytest.fixture
def server_with_6x5(tmp_path: Path) -> Iterator[RunningServer]:
    """Start a copy of the program whose table of variants has one entry more."""
    copy = tmp_path / "server" / "noughts"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "client_web").symlink_to(PACKAGE.parents[1] / "client_web")
    table = copy / "rules" / "variant.py"
    source = table.read_text()
    assert source.count(LAST_ENTRY) == 1
    table.write_text(source.replace(LAST_ENTRY, NEW_ENTRY + LAST_ENTRY))
    settings = {**QUICK, "NOUGHTS_THINK_MS": "300", "PYTHONPATH": str(copy.parent)}
    running = RunningServer(tmp_path / "data", settings).start()
    yield running
    running.kill()


async def test_a_new_variant_is_one_entry_in_one_table(server_with_6x5: RunningServer) -> None:
    """It is listed, played, recorded, set, played by the engine at every level, and analysed."""
    server = server_with_6x5
    ann = await guest(server.url, "Ann")
    listed = {variant["key"]: variant for variant in (await ann.get("/api/variants"))["variants"]}
    assert len(listed) == len(VARIANTS) + 1
    entry = listed["6x5"]
    assert (entry["shape"], entry["line"], entry["gravity"]) == ([6, 5], 4, False)
    assert entry["value"]["value"] == "unknown"

    async with pair(server, variant="6x5") as game:
        await game.play("a1", "a2", "b1", "b2", "c1", "f5", "d1")
        view = await game.view()
        assert view["game"]["outcome"] == {"winner": "X", "reason": "line", "cells": ["a1", "b1", "c1", "d1"]}
        record = await ann.get(f"/api/rooms/{game.id}/games/1")
        assert [move["cell"] for move in record["moves"]] == view["game"]["moves"]
        await game.x.ok("set", variant="classic")
        await game.x.ok("set", variant="6x5")

    rng = random.Random(6)
    for level in entry["levels"]:
        room = (await engine_room(server, ann, variant="6x5", level=level))["room"]["id"]
        async with enter(server, room, ann) as x:
            for _ in range(3):
                view = await x.until_room(lambda room: room["phase"] != "playing" or room["game"]["turn"] == "X")
                if view["phase"] == "playing":
                    await x.move(rng.choice(view["game"]["legal"]))
            await x.until_room(lambda room: room["phase"] != "playing" or len(room["game"]["moves"]) == 6)

    # X has three in a line, open at both ends, and is to move.
    positions = (await ann.get("/api/analysis?variant=6x5&moves=b2,a5,c2,b5,d2,f5"))["positions"]
    assert (positions[-1]["verdict"]["value"], positions[-1]["turn"]) == ("win", "X")
    assert {"a2", "e2"} <= set(positions[-1]["best"])


# --- a server that is killed --------------------------------------------------------------------------------------


def workers_of(pid: int) -> list[int]:
    """Return the search processes of a server."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [
        int(child) for child in children if b"noughts.app.search.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


async def test_the_workers_of_a_killed_server_end_too(start_server: StartServer) -> None:
    server = start_server(workers=2)
    ann = await guest(server.url)
    await ann.get("/api/analysis?variant=classic&moves=b2")  # one of them has worked
    await until(lambda: len(workers_of(server.pid)) == 2)
    pids = workers_of(server.pid)
    os.kill(server.pid, signal.SIGKILL)  # the server alone
    await until(lambda: not any(map(is_alive, pids)))


# --- start and stop -----------------------------------------------------------------------------------------------


async def test_a_pool_that_does_not_start_does_not_stop_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """People can play each other without the engine."""

    async def fails(pool: SearchPool) -> None:
        raise OSError("no processes left")

    monkeypatch.setattr(SearchPool, "start", fails)
    async with local_server(tmp_path) as server:
        async with pair(server) as game:
            await game.play("b2")
        _, metrics = await Api(server.url).call("GET", "/metrics")
    assert "noughts_faults_total 1.0" in metrics
    assert "the search pool did not start" in capsys.readouterr().out


async def test_guests_who_never_came_back_are_deleted_at_the_start(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        ann = await guest(server.url)
    store = SqliteStore(tmp_path / "noughts.db")
    await store.open()
    await store.seen(ann.player["id"], 1_000)
    await store.close()
    async with local_server(tmp_path) as server:
        ann.url = server.url

        async def status() -> int:
            return (await ann.call("GET", "/api/players/me"))[0]

        async with asyncio.timeout(WAIT_S):
            while await status() != 401:
                pass


async def test_the_server_does_not_name_its_libraries(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        for path in ("/", "/api/variants", "/nothing"):
            _, headers, _ = await raw_response(server, "GET", path)
            assert headers["Server"] == "Noughts"


async def test_the_lag_of_the_event_loop_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noughts.app.server.LAG_INTERVAL_S", 0.01)
    async with local_server(tmp_path) as server:
        api = Api(server.url)

        async def lag_s() -> float:
            text = (await api.call("GET", "/metrics"))[1]
            return float(re.findall(r"^noughts_loop_lag_seconds (\S+)$", text, re.M)[0])

        async with asyncio.timeout(WAIT_S):
            while not await lag_s() > 0.0:
                pass
