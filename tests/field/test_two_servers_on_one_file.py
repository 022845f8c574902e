"""A share whose locks end at each machine: two servers ran on one file, and each lost the moves of the other."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from tests.support.player import Api, guest
from tests.support.server import RunningServer

NOTICE_S = 2.0
"""How long the first server may take to notice the second one."""
WITHOUT_LOCKS = "import fcntl\n\nfcntl.flock = lambda descriptor, operation: None\n"


async def test_the_first_server_stops_before_it_acknowledges_anything(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LOCKS)
    environment = {"PYTHONPATH": str(tmp_path), "NOUGHTS_WORKERS": "1"}
    first, second = (RunningServer(tmp_path / "data", environment) for _ in range(2))
    try:
        first.start()
        ann = await guest(first.url)
        second.start()
        status, answer = await ann.call("POST", "/api/rooms", {"variant": "classic", "opponent": "friend"})
        assert (status, answer["error"]["code"]) == (503, "unavailable")
        await Api(second.url, ann.token).post("/api/rooms", {"variant": "classic", "opponent": "friend"})
    finally:
        first.kill()
        second.kill()


async def test_an_idle_server_notices_the_second_one(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LOCKS)
    environment = {"PYTHONPATH": str(tmp_path), "NOUGHTS_WORKERS": "1"}
    first, second = (RunningServer(tmp_path / "data", environment) for _ in range(2))
    try:
        first.start()
        second.start()
        ready_s = time.monotonic()
        while "another server writes to" not in first.log:
            assert time.monotonic() < ready_s + NOTICE_S
            await asyncio.sleep(0.05)
        assert (await Api(first.url).call("GET", "/readyz"))[0] == 503
        assert (await Api(second.url).call("GET", "/readyz"))[0] == 200
    finally:
        first.kill()
        second.kill()
