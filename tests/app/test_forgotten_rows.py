"""After a guest deletes the account, no row of the store has a name, an older name, a token or a device of that guest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from noughts.app.players.identity import hash_secret
from noughts.store.backend import Backend, single_node
from noughts.store.sqlite.store import SqliteStore
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, enter, friends_room, guest
from tests.support.push_browser import Browser
from tests.support.push_service import CONTACT
from tests.support.redis_server import RedisFarm, RedisServer, redis_farm
from tests.support.redis_stores import new_backend, redis_contents
from tests.support.tournament_client import CLOCK, Cup, until_tournament

LINE: Final = "Vox"
DEVICE: Final = "https://updates.push.services.mozilla.com/wpush/v2/quagga"


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisFarm]:
    with redis_farm(tmp_path_factory.mktemp("redis")) as opened:
        yield opened


class Kept:
    """What one kind of store has for one test."""

    def __init__(self, directory: Path, redis: RedisServer | None) -> None:
        self.directory = directory
        self._redis = redis

    def backend(self) -> Backend:
        if self._redis is not None:
            return new_backend(self._redis, self.directory)
        return single_node(SqliteStore(self.directory / "noughts.db"))

    def tables(self) -> dict[str, str]:
        """Return every row of every table as text."""
        if self._redis is not None:
            return {name: str(rows) for name, rows in redis_contents(self._redis, self.directory).items()}
        with closing(sqlite3.connect(self.directory / "noughts.db")) as db:
            names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
            return {name: str(db.execute(f"SELECT * FROM {name}").fetchall()) for name in names}


@pytest.fixture(params=["file", "redis"])
def kept(request: pytest.FixtureRequest, tmp_path: Path, farm: RedisFarm) -> Kept:
    return Kept(tmp_path, farm.server() if request.param == "redis" else None)


class Life:
    """A guest who has had two names and a device, and has left a trace of every kind."""

    def __init__(self, state: str, api: Api) -> None:
        self.state = state
        self.api = api
        self.rooms: list[str] = []
        self.cups: list[str] = []

    @property
    def traces(self) -> list[str]:
        assert self.api.token is not None
        digest = hash_secret(self.api.token)
        return [f"Quagga {self.state}", f"Zorse {self.state}", self.api.token, repr(digest)[2:-1], DEVICE + self.state]


async def born(server: LocalServer, state: str) -> Life:
    api = await guest(server.url, f"Quagga {state}")
    assert await api.call("POST", "/api/players/me/push", Browser.new().subscription(DEVICE + state)) == (201, {})
    await api.post("/api/players/me/resume-code")
    return Life(state, api)


async def renamed(life: Life) -> None:
    assert (await life.api.call("PATCH", "/api/players/me", {"name": f"Zorse {life.state}"}))[0] == 200


async def in_rooms(server: LocalServer, other: Api) -> list[Life]:
    """Return a guest in a room that waits, one in a game that is on, one after a game, and one who has left the seat."""
    lives = []
    for state in ("waiting", "playing", "finished", "recorded"):
        life = await born(server, state)
        answer = await friends_room(server, life.api)
        life.rooms.append(answer["room"]["id"])
        async with enter(server, life.rooms[0], life.api) as x:
            await x.ok("chat", text=f"{LINE} {state}")
            if state != "waiting":
                async with enter(server, life.rooms[0], other) as o:
                    await o.ok("sit", mark="O", invite=answer["invite"])
                    await renamed(life)
                    await x.ok("chat", text=f"{LINE} again {state}")
                    if state != "playing":
                        await o.ok("resign")
                    if state == "recorded":
                        await x.ok("stand")
            else:
                await renamed(life)
            lives.append(life)
    spectator = await born(server, "watching")
    async with enter(server, lives[1].rooms[0], spectator.api) as socket:
        await socket.ok("chat", text=f"{LINE} watching")
        await renamed(spectator)
    return [*lives, spectator]


async def in_cups(server: LocalServer) -> list[Life]:
    """Return the host and the entrants of tournaments that wait, are running and are over."""
    lives = []
    for state in ("open", "running", "over"):
        host = await born(server, f"host-{state}")
        settings = {"name": "Cup", "mode": "arena", "variant": "classic", "clock": CLOCK, "games": 1, "chat": True}
        cup = Cup(server, host.api, await host.api.post("/api/tournaments", settings))
        await renamed(host)
        life = await born(server, state)
        await life.api.post("/api/tournaments/join", {"pin": cup.pin})
        await renamed(life)
        host.cups.append(cup.id)
        lives += [host, life]
        if state != "open":
            other = await cup.entrant("Eve")
            await cup.ok("start")
            async with cup.socket(life.api) as socket:
                message = await until_tournament(socket, lambda message: message["you"]["match"] is not None)
            life.rooms.append(message["you"]["match"]["room"])
            async with enter(server, life.rooms[0], life.api) as x:
                await x.ok("chat", text=f"{LINE} {state}")
            if state == "over":
                async with enter(server, life.rooms[0], other.api) as room:
                    await room.ok("resign")
                await cup.ok("stop")
                await cup.until_over()
    return lives


async def test_no_row_has_a_trace_of_a_deleted_guest(kept: Kept) -> None:
    """In every state in which a guest may be, while the server runs and after a restart."""
    async with local_server(kept.directory, backend=kept.backend(), contact=CONTACT) as server:
        other = await guest(server.url, "Eve")
        lives = [*await in_rooms(server, other), *await in_cups(server)]
        before = str(kept.tables())
        assert all(f"Zorse {life.state}" in before for life in lives)
        for life in lives:
            assert (await life.api.call("DELETE", "/api/players/me"))[0] == 200
        check(kept, lives)
        await check_shown(server, lives)
    check(kept, lives)
    async with local_server(kept.directory, backend=kept.backend(), contact=CONTACT) as server:
        await check_shown(server, lives)
        check(kept, lives)


def check(kept: Kept, lives: list[Life]) -> None:
    found = [
        (life.state, table, trace)
        for table, rows in kept.tables().items()
        for life in lives
        for trace in life.traces
        if trace in rows
    ]
    assert found == []
    # What was said stays with its room, under an id.
    assert [table for table, rows in kept.tables().items() if LINE in rows] == ["lines"]


async def check_shown(server: LocalServer, lives: list[Life]) -> None:
    """Whoever looks at a room sees someone."""
    api = Api(server.url)
    for room in [room for life in lives for room in life.rooms]:
        shown: Any = await api.get(f"/api/rooms/{room}")
        assert "Zorse" not in str(shown)
        status, record = await api.call("GET", f"/api/rooms/{room}/games/1")
        assert status == 404 or "someone" in str(record["players"])
    for cup in [cup for life in lives for cup in life.cups]:
        status, table = await api.call("GET", f"/api/tournaments/{cup}/results.csv")
        assert status == 200
        assert "someone" in table
        assert "Zorse" not in table + str(await api.get(f"/api/tournaments/{cup}"))
