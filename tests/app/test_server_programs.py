"""A server on a file where the engine's compiled programs do not run: it offers less, and says so once."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.support.local_server import local_server
from tests.support.player import Api, guest
from tests.support.responses import rejection

FAULT = "wasmtime cannot run programs here (no right to make code)"
ENGINE = {"opponent": "engine", "mark": "X", "visibility": "unlisted"}


@pytest.mark.parametrize(("fault", "level"), [(None, "skilled"), (FAULT, "casual")], ids=["they run", "they do not"])
async def test_the_levels_that_need_a_program_are_offered_where_it_runs(
    tmp_path: Path, fault: str | None, level: str
) -> None:
    with capture_logs() as lines:
        async with local_server(tmp_path, programs_fault=fault) as server:
            ann = await guest(server.url)
            variants = {variant["key"]: variant for variant in (await ann.get("/api/variants"))["variants"]}
            assert ("strongest" in variants["gomoku"]["levels"]) is (fault is None)
            assert "perfect" in variants["5x5"]["levels"]
            answer = await ann.post("/api/rooms", {"variant": "gomoku", **ENGINE})
            assert answer["room"]["seats"]["O"]["level"] == level
            assert (await ann.post("/api/rooms", {"variant": "5x5", **ENGINE}))["room"]["seats"]["O"][
                "level"
            ] == "skilled"
            if fault is not None:
                body = {"variant": "gomoku", **ENGINE, "level": "expert"}
                assert await rejection(ann, "POST", "/api/rooms", body) == (400, "bad_message")
            ready = await Api(server.url).get("/readyz")
            assert ready["status"] == "ready"
            assert (FAULT in ready.get("engine", "")) is (fault is not None)
            assert ("Gomoku" in ready.get("engine", "")) is (fault is not None)
    assert sum(FAULT in line["event"] for line in lines) == (fault is not None)
