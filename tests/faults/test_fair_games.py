"""A swap, a gift of time and the end of a series, when the server is killed as it reads the command."""

from __future__ import annotations

from typing import Any

from tests.conftest import StartServer
from tests.support.player import enter
from tests.support.rooms import pair

CLOCK = {"mode": "fischer", "initial_ms": 600_000, "increment_ms": 0}


async def test_each_happens_once_when_it_is_sent_again(start_server: StartServer) -> None:
    """The client does not know whether the command was stored. It sends the same id twice more."""
    server = start_server()
    async with pair(server, variant="vanishing", first_to=1, swap=True, clock=CLOCK) as room:
        await room.play("b1")
    # Ben gives time and takes the side of X. Ann is O then, and her resignation ends the series.
    steps: list[tuple[int, str, dict[str, Any]]] = [(1, "give_time", {}), (1, "swap", {"ply": 1}), (0, "resign", {})]
    for player, command, fields in steps:
        api = (room.ann, room.ben)[player]
        async with enter(server, room.id, api) as socket:
            await socket.send({"type": command, "id": f"{command}-1", **fields})
            server.kill()
        server.start()
        async with enter(server, room.id, api) as socket:
            answers = [await socket.ask(command, id=f"{command}-1", game=1, **fields) for _ in range(2)]
            assert [answer["type"] for answer in answers] == ["ok", "ok"]
            assert answers[0]["version"] == answers[1]["version"]
    async with enter(server, room.id, room.ann) as socket:
        view = socket.room
        ann, ben = room.ann.player["id"], room.ben.player["id"]
        assert (view["seats"]["X"]["player"], view["seats"]["O"]["player"]) == (ben, ann)
        assert view["game"]["swapped"]
        assert (view["clock"]["X_ms"], view["clock"]["O_ms"]) == (600_000, 615_000)
        assert view["series"] == {"first_to": 1, "games": 1, "winner": ben, "over": True}
        assert {entry["player"]: entry["wins"] for entry in view["score"]} == {ann: 0, ben: 1}
