"""The power fails at the machine of Redis: what it had answered is in its append-only file, if each write is flushed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

import pytest

from noughts.room.idempotency import IdempotencyKeys
from noughts.store.machine_store import Stored
from tests.support.commits import commit_all, new_room, next_version
from tests.support.disk_trace import FATES, Appended, Event, Fate, Flush, cuts, events, tracing
from tests.support.redis_server import RedisServer, redis_farm, redis_program
from tests.support.redis_stores import redis_nodes

ROOMS: Final = tuple(f"r{number}" for number in range(6))
PUSHED: Final = re.compile(rb"c\d+ (\d+) 0 0 \d+ [-\d ]+\n(r\d)!")
"""A change as Redis pushes it to another node, in the same turn in which it answers the node that made it."""
DURABLE: Final = {"appendonly": "yes", "aof_load_truncated": "yes"}


def traced_redis(directory: Path, trace: Path) -> str:
    """Write a program that runs Redis and traces what it writes. Return its path."""
    program = directory / "traced-redis"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([*tracing(trace), redis_program()])} "$@"\n')
    program.chmod(0o700)
    return str(program)


async def commit_changes(redis: RedisServer, directory: Path, newest: int) -> None:
    """Let one node change rooms which another holds, several in each write. Every change is acknowledged."""
    async with redis_nodes(redis, directory) as nodes:
        one, two = await nodes.node("one"), await nodes.node("two")
        await commit_all(one.store, [new_room(room, data=b"!") for room in ROOMS])
        for room in ROOMS:
            await two.store.hold(room)
        for version in range(2, newest + 1):
            changes = [next_version(version, room, b"!", command=("p_ann", f"c{version}")) for room in ROOMS]
            assert await commit_all(one.store, changes) == [Stored(version)] * len(ROOMS)


def acknowledged(sent: bytes) -> Mapping[str, int]:
    """Return the newest version of each room that Redis had answered and pushed."""
    return {room.decode(): int(version) for version, room in PUSHED.findall(sent)}  # of several, the last one counts


async def lost_in(image: Path, fate: Fate, versions: Mapping[str, int], directory: Path) -> list[str]:
    """Start Redis from the files that a power cut left. Return the changes that are missing."""
    redis = RedisServer(image, appendfsync="always", **DURABLE)
    try:
        try:
            redis.start()
        except AssertionError:
            assert fate == "torn", redis.log  # a piece in the middle of the last write is missing
            assert "redis-check-aof --fix" in redis.log
            manifest = image / "appendonlydir" / "appendonly.aof.manifest"
            program = shutil.which("redis-check-aof")
            assert program is not None
            subprocess.run([program, "--fix", str(manifest)], input=b"y\n", check=True, stdout=subprocess.DEVNULL)
            redis.start()
        return await missing(redis, versions, directory)
    finally:
        redis.kill()


async def missing(redis: RedisServer, versions: Mapping[str, int], directory: Path) -> list[str]:
    lost = []
    async with redis_nodes(redis, directory) as nodes:
        store = (await nodes.node("three")).store
        for room, version in versions.items():
            stored = await store.load(room)
            if stored is None or stored.version < version:
                lost.append(f"{room}: version {version} was acknowledged")
            elif IdempotencyKeys.decoded(stored.command_ids).version(("p_ann", f"c{version}")) != version:
                lost.append(f"{room}: the id of version {version} was acknowledged")
    return lost


def chosen(happened: Sequence[Event], count: int) -> list[int]:
    """Return the events before which the power is cut: between a write and the end of its flush, and after it."""
    concerned = [number for number, event in enumerate(happened) if isinstance(event, Appended | Flush)]
    later = [number + 1 for number in concerned[len(concerned) // 3 :]]
    return [later[number * len(later) // count] for number in range(count)]


@pytest.mark.parametrize(
    ("policy", "count"), [("always", 4), pytest.param("always", 60, marks=pytest.mark.long), ("everysec", 2)]
)
async def test_a_power_cut_at_the_machine_of_redis(tmp_path: Path, policy: str, count: int) -> None:
    """With ``always`` nothing acknowledged is lost, whatever is on the disk of the last write. ``everysec`` loses some."""
    trace = tmp_path / "trace.txt"
    with redis_farm(tmp_path / "farm") as farm:
        redis = farm.server(traced_redis(tmp_path, trace), appendfsync=policy, **DURABLE)
        (process,) = re.findall(r"process_id:(\d+)", redis.command("INFO", "server"))
        await commit_changes(redis, tmp_path, newest=21)
        os.kill(int(process), signal.SIGKILL)
        (log,) = redis.directory.glob("appendonlydir/*.incr.aof")
        redis.kill()
    happened = events(trace, [log])
    image, random, lost, kept = tmp_path / "image", Random(17), list[str](), 0
    for cut in cuts(happened, {log.name: b""}, chosen(happened, count)):
        versions = acknowledged(cut.sent)
        for fate in FATES:
            shutil.rmtree(image, ignore_errors=True)
            shutil.copytree(log.parent, image / log.parent.name)
            (image / log.parent.name / log.name).write_bytes(cut.images[log.name](fate, random))
            lost += [f"{fate} at {cut.number}: {each}" for each in await lost_in(image, fate, versions, tmp_path)]
            kept += len(versions)
    print(f"{policy}: {len(lost)} of {kept} acknowledged changes lost in {count * len(FATES)} power cuts of Redis")
    assert kept
    assert bool(lost) == (policy == "everysec"), lost
