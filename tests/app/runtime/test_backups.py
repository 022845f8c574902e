"""Backups by a child of the server: when one is due, which stay, by which node, and what is said of a failure."""

from __future__ import annotations

import asyncio
import math
import resource
import time
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest

from noughts.app.runtime.backups import TRY_S, Backups, note_backup, noted_backup
from noughts.app.runtime.config import Config
from noughts.store.coordination import LocalCoordination
from tests.conftest import StartServer
from tests.support.manual_clock import ManualClock
from tests.support.metrics import metric
from tests.support.player import WAIT_S, Api
from tests.support.redis_server import redis_farm
from tests.support.redis_stores import address_of, new_backend, prefix_of
from tests.support.whole_file import fill

HOUR_MS = 3_600_000


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that begins at the time of the children."""
    clock = ManualClock()
    clock.ms = int(time.time() * 1000)
    return clock


@pytest.fixture
def coordination(clock: ManualClock) -> LocalCoordination:
    return LocalCoordination(clock.now_s)


async def test_a_backup_is_made_when_the_last_one_is_old(
    tmp_path: Path, clock: ManualClock, coordination: LocalCoordination
) -> None:
    """It is whole, and for this account alone. The oldest beyond the number go; other files stay."""
    await fill(tmp_path / "noughts.db", rooms=3)
    backups = Backups(Config(data=tmp_path, backup_hours=24, backup_keep=2), coordination, clock)
    directory = tmp_path / "backups"
    names = []
    for _ in range(3):
        for _ in range(2):
            await backups.make_if_due()
        names.append(max(path.name for path in directory.glob("*.db")))
        clock.ms += 25 * HOUR_MS
        (directory / "mine.db").touch()
        (directory / "noughts-old.db.partial").touch()
    assert len(set(names)) == 3
    assert {path.name for path in directory.iterdir()} == {*names[1:], "mine.db", "noughts-old.db.partial"}
    newest = directory / names[-1]
    assert newest.stat().st_mode & 0o777 == 0o600
    with closing(connect(newest)) as db:
        assert db.execute("SELECT count(*) FROM rooms").fetchone() == (2,)
    assert (backups.fault, backups.report()) == ("", {"backup": {"age_s": round(backups.age_s)}})


async def test_a_backup_that_fails_is_tried_again_in_an_hour(
    tmp_path: Path, clock: ManualClock, coordination: LocalCoordination, capsys: pytest.CaptureFixture[str]
) -> None:
    """The log says so once for each try. The last good backup stays, and its age is known."""
    await fill(tmp_path / "noughts.db", rooms=2)
    target = tmp_path / "elsewhere"
    target.write_text("no directory")
    backups = Backups(Config(data=tmp_path, backup_hours=1, backup_directory=target), coordination, clock)
    for _ in range(3):
        await backups.make_if_due()
    assert capsys.readouterr().out.count("the backup failed") == 1
    assert "cannot be used for backups: File exists" in backups.fault
    assert (math.isinf(backups.age_s), backups.report()["backup"]["age_s"]) == (True, None)
    target.unlink()
    clock.ms += TRY_S * 1000
    await backups.make_if_due()
    assert (backups.fault, len(list(target.iterdir()))) == ("", 1)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("gone/backups", "cannot be used for backups: No such file"),  # its disk is not mounted any more
        ("/sys/backups", "cannot be used for backups: "),  # nobody may write there
        ("full", "cannot be copied"),
    ],
    ids=["gone", "no right", "full disk"],
)
async def test_a_directory_that_takes_no_backup(
    tmp_path: Path, clock: ManualClock, coordination: LocalCoordination, place: str, reason: str
) -> None:
    """The reason is known, nothing is left there, and the last good backup stays. Later, the next one is made."""
    await fill(tmp_path / "noughts.db", rooms=9)
    directory = tmp_path / place
    good = tmp_path / "backups" / "noughts-20200101-000000-000000.db"
    good.parent.mkdir()
    good.touch()
    if place == "full":
        directory.mkdir()
    backups = Backups(
        Config(data=tmp_path, backup_hours=1, backup_keep=1, backup_directory=directory), coordination, clock
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        if place == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 1024, limits[1]))  # the child inherits it
        await backups.make_if_due()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert reason in backups.fault
    assert backups.report()["backup"] == {"age_s": None, "fault": backups.fault}
    assert not directory.exists() or list(directory.iterdir()) == []
    assert good.exists()


async def test_one_node_of_all_makes_it(tmp_path: Path, clock: ManualClock) -> None:
    """Into its own directory. The others know how old it is."""
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server()
        nodes = []
        backends = [new_backend(redis, tmp_path, name) for name in ("one", "two")]
        for name, backend in zip(("one", "two"), backends, strict=True):
            await backend.store.open()
            store, prefix = address_of(redis), prefix_of(tmp_path)
            config = Config(data=tmp_path / name, store=store, store_prefix=prefix, backup_hours=1)
            (tmp_path / name).mkdir()
            nodes.append(Backups(config, backend.coordination, clock))
        for _ in range(2):
            for node in nodes:
                await node.make_if_due()
        assert [(tmp_path / name / "backups").exists() for name in ("one", "two")] == [True, False]
        assert [node.newest_ms > 0 for node in nodes] == [True, True]
        for backend in backends:
            await backend.store.close()


def test_the_note_of_another_account_is_replaced(tmp_path: Path) -> None:
    assert noted_backup(tmp_path) == 0
    note_backup(tmp_path, 5)
    (tmp_path / "backup.json").chmod(0o400)
    note_backup(tmp_path, 7)
    assert noted_backup(tmp_path) == 7


async def test_a_server_makes_one_and_says_so(tmp_path: Path, start_server: StartServer) -> None:
    """In the metrics, and in the details of /readyz. Its log has one line about it."""
    server = start_server(tmp_path, backup_hours=1)
    async with asyncio.timeout(WAIT_S):
        while math.isinf(await metric(server, "noughts_backup_age_seconds")):  # noqa: ASYNC110 - the child tells nobody
            await asyncio.sleep(0.1)
    _, ready = await Api(server.url).call("GET", "/readyz")
    assert 0 <= ready["backup"]["age_s"] < 60
    assert len(list((tmp_path / "backups").iterdir())) == 1
