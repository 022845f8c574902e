"""A third kind of machine, which is one package and one entry in the list of wings, on two nodes over real sockets."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from noughts.app import server
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, connect, guest
from tests.support.redis_server import redis_farm
from tests.support.redis_stores import new_backend
from tests.support.toy_machine import RING
from tests.support.toy_wing import Toys

wings_of = server.wings_of


@pytest.fixture
async def nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[LocalServer, LocalServer]]:
    def with_toys(parts: Any, *others: Any) -> tuple[Any, ...]:
        return *wings_of(parts, *others), Toys(parts)

    monkeypatch.setattr(server, "wings_of", with_toys)
    async with AsyncExitStack() as stack:
        redis = stack.enter_context(redis_farm(tmp_path / "redis")).server()
        one, two = [
            await stack.enter_async_context(local_server(tmp_path, backend=new_backend(redis, tmp_path)))
            for _ in range(2)
        ]
        yield one, two


async def test_a_third_kind_is_served_by_two_redis_nodes(nodes: tuple[LocalServer, LocalServer]) -> None:
    """It is stored, woken, seen from both nodes, forgotten and closed."""
    one, two = nodes
    ann = await guest(one.url, "Ann")
    toy = (await ann.post("/api/toys", {"owner": ann.player["id"]}))["id"]
    path = f"/api/toys/{toy}"
    async with (
        connect(one.ws_url, {"toy": toy, "token": ann.token}) as here,
        connect(two.ws_url, {"toy": toy}) as there,
    ):
        await here.send({"id": "1", "add": 2})
        assert (await here.until(lambda message: message["type"] == "ok"))["version"] == 2
        assert (await there.until(lambda message: message["type"] == "toy"))["count"] == 2
        await here.send({"id": "1", "add": 2})
        assert (await here.until(lambda message: message["type"] == "ok"))["version"] == 2
        await there.send({"id": "2", "add": 2})
        assert (await there.until(lambda message: message["type"] == "rejected"))["code"] == "unauthorized"
        await here.send({"id": "3", "alarm_ms": int(time.time() * 1000)})
        assert await there.until(lambda message: message.get("count") == 2 + RING)
    assert (await Api(two.url).get(path))[5:] == [False, ann.player["id"]]
    await ann.call("DELETE", "/api/players/me")
    assert (await Api(two.url).get(path))[5:] == [False, ""]
    await one.operator().post(f"/admin/rooms/{toy}/close")
    assert (await Api(two.url).call("GET", path))[0] == 404
    async with connect(two.ws_url, {"toy": toy}) as late:
        with pytest.raises(ConnectionClosed, match="4404"):
            await late.until(lambda message: False)
