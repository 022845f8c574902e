"""Who is here and who is not, through real sockets: reconnects, several sockets, claims, the engine as stand-in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.player import Api, Message, Socket, enter
from tests.support.rooms import pair
from tests.support.server import QUICK, RunningServer

GRACE_MS = 200


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that gives the absent a fifth of a second."""
    running = RunningServer(tmp_path_factory.mktemp("hasty"), {**QUICK, "NOUGHTS_GRACE_MS": str(GRACE_MS)}).start()
    yield running
    running.kill()
    assert "Traceback" not in running.log, running.log


def present(mark: str, is_here: bool) -> Callable[[Message], bool]:
    """Return a condition: a crowd that shows the holder of a seat as here, or not."""

    def wanted(message: Message) -> bool:
        seat = message["seats"][mark] if message["type"] == "crowd" else None
        return seat is not None and seat["present"] == is_here

    return wanted


def claimable(message: Message) -> bool:
    """Return whether a message shows a claim that its receiver can make."""
    return message["type"] == "room" and "claim:win" in message["you"]["can"]


def has_ply(ply: int) -> Callable[[Message], bool]:
    """Return a condition: a room whose game has at least so many moves."""
    return lambda room: bool(room["game"]) and len(room["game"]["moves"]) >= ply


def seats_of(socket: Socket, mark: str) -> list[Any]:
    """Return what each crowd so far said of a seat that is held."""
    return [m["seats"][mark] for m in socket.seen if m["type"] == "crowd" and m["seats"][mark]]


async def test_a_dropped_socket_is_away_and_back_at_once(server: RunningServer) -> None:
    """With a countdown to the claim, and without a new version."""
    async with pair(server) as room:
        version = (await room.view())["version"]
        await room.o.close()
        away = (await room.x.until(present("O", False)))["seats"]["O"]
        assert 0 <= away["away_ms"] <= 15_000
        assert away["away_ms"] + away["claimable_in_ms"] == 30_000
        async with enter(server, room.id, room.ben) as again:
            assert (again.you["mark"], again.room["phase"]) == ("O", "playing")
            back = (await room.x.until(present("O", True)))["seats"]["O"]
            assert back == {"present": True, "away_ms": None, "claimable_in_ms": None}
            assert (await room.view())["version"] == version
            assert await room.x.rejected("claim", what="win") == "forbidden"


async def test_a_player_is_back_while_the_old_socket_is_half_open(server: RunningServer) -> None:
    async with pair(server) as room:
        room.o.connection.transport.pause_reading()  # it neither reads nor closes
        async with enter(server, room.id, room.ben) as again:
            await room.x.move("b2")
            await again.until_room(has_ply(1))
            await again.move("a1")
            room.o.connection.transport.abort()
            await room.x.until_room(has_ply(2))
            await room.x.move("c3")
            await again.until_room(has_ply(3))
            assert (await room.x.ask("ping"))["type"] == "pong"
            assert all(seat["present"] for seat in seats_of(room.x, "O"))


async def test_the_engine_holds_a_seat_until_its_player_is_back(hasty: RunningServer) -> None:
    """The game then counts nowhere."""
    async with pair(hasty) as room:
        await room.play("b2")
        await room.o.close()
        await room.x.until(claimable)
        await room.x.ok("seat_engine", mark="O", level="perfect")
        view = await room.x.until_room(has_ply(2))
        ben = {"player": room.ben.player["id"], "name": "Ben"}
        assert view["seats"]["O"] == {"kind": "engine", "level": "perfect", "holding_for": ben}
        async with enter(hasty, room.id, room.ben) as o:
            assert o.you["mark"] == "O"
            assert "sit:O" in o.you["can"]
            assert "move" not in o.you["can"]
            await room.x.move(room.x.room["game"]["legal"][0])
            if len((await o.until_room(has_ply(3)))["game"]["moves"]) == 3:
                assert await o.rejected("move", ply=3, cell="b3") in ("not_your_turn", "stale")
            await o.ok("sit", mark="O")  # without the invite, at any moment
            view = await room.x.until_room(lambda view: bool(view["seats"]["O"]["kind"] == "human"))
            assert view["seats"]["O"]["player"] == room.ben.player["id"]
            while (view := await room.view())["phase"] == "playing":
                socket = room.x if view["game"]["turn"] == "X" else o
                await socket.until_room(has_ply(len(view["game"]["moves"])))
                await socket.move(view["game"]["legal"][0])
        record = await room.ann.get(f"/api/rooms/{room.id}/games/1")
        assert [move["by"] for move in record["moves"][:2]] == [room.ann.player["id"], "engine:perfect"]
        assert record["players"]["O"]["player"] == room.ben.player["id"]
        assert (view["score"], view["draws"]) == ([], 0)


async def test_a_resume_code_brings_the_seat_to_another_device(server: RunningServer) -> None:
    async with pair(server) as room:
        code = (await room.ann.post("/api/players/me/resume-code"))["code"]
        answer = await Api(server.url).post("/api/players/resume", {"code": code})
        async with enter(server, room.id, Api(server.url, answer["token"], answer["player"])) as other:
            assert other.you["mark"] == "X"
            await other.move("b2")
            await room.x.until_room(has_ply(1))
