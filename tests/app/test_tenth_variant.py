"""A new member of the family is one entry in one table: the whole stack plays it, with nothing else told."""

from __future__ import annotations

import random
from types import MappingProxyType

import pytest
from aiohttp import web
from noughts.app.web import Server
from noughts.store.sqlite_store import SqliteStore

from noughts.app.runtime.config import Config
from noughts.protocol import codec
from noughts.rules import variant as variants
from noughts.rules.variant import Variant
from tests.support.player import enter, guest
from tests.support.rooms import engine_room, pair

TENTH = Variant("6x5", "Six by five", "Four in a line wins, on six by five.", (6, 5), 4)


class Here:
    """A server in this process, so that its table can be another; what the players of tests need to know of one."""

    def __init__(self, url):
        self.url = url
        self.ws_url = url.replace("http", "ws", 1) + "/ws"


@pytest.fixture
async def here(tmp_path, monkeypatch):
    monkeypatch.setitem(variants._BY_KEY, TENTH.key, TENTH)
    config = Config(data=tmp_path, limits=False, engine_pace_ms=0, think_ms=300, workers=1)
    runner = web.AppRunner(Server(config, SqliteStore(tmp_path / "noughts.db")).application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield Here(f"http://{host}:{port}")
    await runner.cleanup()


async def test_a_tenth_variant_is_one_entry(here):
    assert isinstance(variants.VARIANTS, MappingProxyType)
    ann = await guest(here.url, "Ann")
    listed = {variant["key"]: variant for variant in (await ann.get("/api/variants"))["variants"]}
    assert len(listed) == 10
    assert (listed["6x5"]["shape"], listed["6x5"]["line"], listed["6x5"]["gravity"]) == ([6, 5], 4, False)
    assert listed["6x5"]["value"]["value"] == "unknown"

    async with pair(here, variant="6x5") as table:
        await table.play("a1", "a2", "b1", "b2", "c1", "f5", "d1")
        view = await table.view()
        assert view["game"]["outcome"] == {"winner": "X", "reason": "line", "cells": ["a1", "b1", "c1", "d1"]}
        assert len(view["game"]["marks"]) == 7
        record = await ann.get(f"/api/rooms/{table.id}/games/1")
        assert [move["cell"] for move in record["moves"]] == view["game"]["moves"]
        await table.x.ok("set", variant="classic")
        await table.x.ok("set", variant="6x5")

    rng = random.Random(6)
    for level in listed["6x5"]["levels"]:
        made = await engine_room(here, ann, variant="6x5", level=level)
        async with enter(here, made["room"]["id"], ann) as socket:
            for ply in range(0, 6, 2):
                view = await socket.until_room(
                    lambda room, ply=ply: room["phase"] != "playing" or len(room["game"]["moves"]) == ply
                )
                if view["phase"] == "playing":
                    await socket.move(rng.choice(view["game"]["legal"]))
            view = await socket.until_room(lambda room: room["phase"] != "playing" or len(room["game"]["moves"]) == 6)
    # X has three in a line, open at both ends, and is to move.
    moves = "b2,a5,c2,b5,d2,f5"
    (*_, last) = (await ann.get(f"/api/analysis?variant=6x5&moves={moves}"))["positions"]
    assert (last["verdict"]["value"], last["turn"]) == ("win", "X")
    assert {"a2", "e2"} <= set(last["best"])
    assert codec.decode_command('{"type":"set","id":"1","variant":"6x5"}').variant == "6x5"
