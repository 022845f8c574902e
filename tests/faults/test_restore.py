"""``noughts restore`` is killed at each step: the data from before are in their place, or the restored ones.

In Redis there may also be a part of them, which no node accepts.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from noughts import command_line
from noughts.store.contract import SchemaError
from noughts.store.sqlite.copies import back_up
from tests.support.redis_server import RedisServer, redis_farm
from tests.support.redis_stores import new_backend, prefix_of
from tests.support.strace import strace
from tests.support.whole_file import fill

CALLS = {"link": 1, "rename": 1, "unlink": 1, "fsync": 1, "fdatasync": 1, "ftruncate": 1, "pwrite64": 20}
"""What a restore does with the disk -> it is killed at each such call, or at each so many."""
NEWEST = "p_in_the_log"


@pytest.fixture
async def before(tmp_path: Path) -> Path:
    """Return a data directory as a killed server leaves it, and ``copy.db`` beside it, an earlier backup."""
    made, killed = tmp_path / "made", tmp_path / "before"
    made.mkdir()
    killed.mkdir()
    await fill(made / "noughts.db", rooms=3)
    back_up(made / "noughts.db", tmp_path / "copy.db")
    with closing(sqlite3.connect(made / "noughts.db", isolation_level=None)) as db:
        db.execute("PRAGMA wal_autocheckpoint=0")
        db.execute("INSERT INTO players(id, name, seen_ms) VALUES(?, 'Ann', 1)", (NEWEST,))
        for name in ("noughts.db", "noughts.db-wal"):
            shutil.copy(made / name, killed / name)
    return killed


def guests(path: Path) -> set[str]:
    """Return the guests in a file and its log, as a server reads them."""
    with closing(sqlite3.connect(path)) as db:
        return {id for (id,) in db.execute("SELECT id FROM players")}


def killed(directory: Path, call: str, number: int, *target: str) -> bool:
    """Restore ``copy.db`` in a process that is killed at a call, if it makes so many of them. Return whether it was."""
    fault = ("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")
    restore = (sys.executable, "-m", "noughts", "restore", "copy.db", *target)
    command = [strace(), "-f", "-qq", "-o", "/dev/null", *fault, *restore]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    status = subprocess.run(command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, check=False).returncode
    assert status in (0, -signal.SIGKILL, 128 + signal.SIGKILL)
    return status != 0


@pytest.mark.parametrize("call", CALLS)
def test_a_kill_at_any_step(before: Path, tmp_path: Path, call: str) -> None:
    """Then the next restore succeeds, and the data from before, with the log's, are under their own name."""
    old, new = guests_of_copy(before) | {NEWEST}, guests_of_copy(before)
    kills = 0
    for number in range(1, 400, CALLS[call]):
        data = tmp_path / f"data{number}"
        shutil.copytree(before, data)
        if not killed(tmp_path, call, number, "--data", data.name):
            break
        kills += 1
        state = data.with_name("state")
        shutil.copytree(data, state)  # to look at it must not help the next restore
        assert guests(state / "noughts.db") in (old, new), (call, number)
        shutil.rmtree(state)
        assert command_line.main(["restore", str(data.with_name("copy.db")), "--data", str(data)]) == 0
        assert guests(data / "noughts.db") == new
        assert any(
            guests(aside) == old for aside in data.glob("noughts.db.before-*") if not aside.name.endswith("-wal")
        )
    else:
        raise AssertionError("every restore was killed")
    assert kills or call in ("fdatasync", "ftruncate", "unlink")


def guests_of_copy(before: Path) -> set[str]:
    return guests(before.parent / "copy.db")


async def contents(directory: Path, redis: RedisServer) -> tuple[int, int]:
    """Return how many guests and rooms a node finds in Redis. Raise ``SchemaError`` if it does not start with them."""
    store = new_backend(redis, directory).store
    try:
        await store.open()
        return await store.player_count(), await store.machines("room").count()
    finally:
        await store.close()


def test_a_kill_at_any_step_of_a_restore_to_redis(
    before: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Redis is empty, or no node starts with what is there, or all is there. The same command completes a part."""
    states = []
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server()
        prefix = prefix_of(tmp_path)
        target = ("--store", redis.url, "--store-prefix", prefix)
        restore = ["restore", str(tmp_path / "copy.db"), *target]
        for number in range(6, 400, 12):
            if not killed(tmp_path, "sendto", number, *target):
                break
            states.append(redis.command("GET", f"{{{prefix}}}:schema"))
            if states[-1] is None:
                assert redis.keys() == []
                continue
            with pytest.raises(SchemaError, match="run `noughts restore`"):
                asyncio.run(contents(tmp_path, redis))
            nodes = redis.command("HKEYS", f"{{{prefix}}}:nodes")
            if nodes:  # the killed command is one of them, for three seconds
                assert command_line.main(restore) == 2
                assert "again in 3 seconds" in capsys.readouterr().err
                redis.command("HDEL", f"{{{prefix}}}:nodes", *nodes)
            assert command_line.main(restore) == 0
            assert asyncio.run(contents(tmp_path, redis)) == (5, 2)
            redis.command("FLUSHALL")
        assert asyncio.run(contents(tmp_path, redis)) == (5, 2)
    assert {None, "0"} <= set(states)
