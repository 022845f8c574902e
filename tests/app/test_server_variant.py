"""The whole server with a new variant, which is one entry in one table."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from noughts.rules.variant import VARIANTS
from tests.support.player import enter, guest
from tests.support.rooms import engine_room, pair
from tests.support.server import QUICK, RunningServer

PACKAGE = Path(__file__).parents[2] / "server" / "noughts"
LAST_ENTRY = '    Variant("4x4", '
NEW_ENTRY = '    Variant("6x5", "Six by five", "Four in a line wins, on six by five.", (6, 5), 4),\n'


@pytest.fixture
def server_with_6x5(tmp_path: Path) -> Iterator[RunningServer]:
    """Start a copy of the program whose table of variants has one entry more, and which analyses for a second."""
    copy = tmp_path / "server" / "noughts"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "client_web").symlink_to(PACKAGE.parents[1] / "client_web")
    table = copy / "rules" / "variant.py"
    source = table.read_text()
    assert source.count(LAST_ENTRY) == 1
    table.write_text(source.replace(LAST_ENTRY, NEW_ENTRY + LAST_ENTRY))
    analysis = copy / "app" / "search" / "analysis.py"
    source = analysis.read_text()
    assert source.count("ANALYSIS_S: Final = 8.0") == 1
    analysis.write_text(source.replace("ANALYSIS_S: Final = 8.0", "ANALYSIS_S: Final = 1.0"))
    settings = {**QUICK, "NOUGHTS_THINK_MS": "100", "PYTHONPATH": str(copy.parent)}
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
