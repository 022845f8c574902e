"""Every command and every endpoint, sent by a person who may not do it. The tables are complete by the program's own.

A rejected command changes no version, and reaches nobody else.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

from noughts.app.runtime.config import Config
from noughts.app.server import Server
from noughts.protocol.endpoints import ENDPOINTS
from noughts.room.commands import RoomCommand
from noughts.store.backend import single_node
from noughts.store.sqlite.store import SqliteStore
from tests.support.player import Api, Message, Served, Socket, enter, friends_room, guest
from tests.support.rooms import Pair, pair
from tests.support.server import RunningServer

TAGS: Final = sorted(str(kind.__struct_config__.tag) for kind in get_args(RoomCommand))
PROTECTED: Final = [endpoint for endpoint in ENDPOINTS if endpoint.token == "needed"]
ADMIN: Final = {
    "GET /admin/rooms",
    "POST /admin/rooms/{id}/close",
    "GET /admin/rooms/{id}/chat",
    "GET /admin/players",
    "GET /admin/tournaments",
    "POST /admin/tournaments/{id}/recount",
    "POST /admin/players/{id}/rename",
    "POST /admin/players/{id}/forget",
    "GET /admin/nodes",
    "GET /admin/bans",
    "POST /admin/bans",
    "GET /admin/backup",
    "POST /admin/codes",
    "POST /admin/session",
    "POST /admin/session/end",
}


class Attempt(NamedTuple):
    """Fields of a command, and the codes that answer a watcher and the opponent of the owner; None: they may do it."""

    fields: Message
    watcher: str | None
    opponent: str | None


ATTEMPTS: Final[dict[str, list[Attempt]]] = {
    "sit": [
        Attempt({"mark": "X"}, "seat_taken", "seat_taken"),
        Attempt({"mark": "O"}, "seat_taken", "seat_taken"),
        Attempt({"mark": "X", "invite": "INVITE"}, "seat_taken", "seat_taken"),
    ],
    "stand": [Attempt({}, "not_seated", "forbidden")],
    "move": [
        Attempt({"ply": 2, "cell": "c3"}, "not_seated", "not_your_turn"),
        Attempt({"ply": 2, "cell": "c3", "game": 1}, "not_seated", "not_your_turn"),
        Attempt({"ply": 1, "cell": "c3"}, "not_seated", "stale"),
        Attempt({"ply": 2, "cell": "c3", "game": 2}, "not_seated", "stale"),
    ],
    "resign": [Attempt({}, "not_seated", None), Attempt({"game": 2}, "not_seated", "stale")],
    "swap": [Attempt({"ply": 1}, "not_seated", "stale"), Attempt({"ply": 2}, "not_seated", "stale")],
    "give_time": [Attempt({}, "not_seated", "forbidden"), Attempt({"game": 2}, "not_seated", "stale")],
    "offer": [
        Attempt({"what": "draw"}, "not_seated", None),
        Attempt({"what": "takeback"}, "not_seated", None),
        Attempt({"what": "rematch"}, "not_seated", "forbidden"),
    ],
    "answer": [
        Attempt({"what": "draw", "accept": True}, "not_seated", "forbidden"),
        Attempt({"what": "takeback", "accept": False}, "not_seated", "forbidden"),
    ],
    "claim": [
        Attempt({"what": "win"}, "not_seated", "forbidden"),
        Attempt({"what": "draw"}, "not_seated", "forbidden"),
    ],
    "seat_engine": [
        Attempt({"mark": "X", "level": "novice"}, "not_seated", "seat_taken"),
        Attempt({"mark": "O", "level": "novice"}, "not_seated", "seat_taken"),
    ],
    "chat": [Attempt({"text": "hello"}, None, None)],
    "react": [Attempt({"emoji": "👍"}, None, None)],
    "set": [
        Attempt({"visibility": "public"}, "forbidden", "forbidden"),
        Attempt({"variant": "misere"}, "forbidden", "forbidden"),
        Attempt({"spectator_chat": "off"}, "forbidden", "forbidden"),
        Attempt({"first_to": 3}, "forbidden", "forbidden"),
        Attempt({"swap": True}, "forbidden", "forbidden"),
    ],
    "free": [Attempt({"mark": "X"}, "forbidden", "forbidden"), Attempt({"mark": "O"}, "forbidden", "forbidden")],
    "mute": [
        Attempt({"player": "ANN", "muted": True}, "forbidden", "forbidden"),
        Attempt({"player": "spectators", "muted": True}, "forbidden", "forbidden"),
    ],
    "close": [Attempt({}, "forbidden", "forbidden")],
}
"""Attempts in a game between two friends after two moves. X owns the room and is to move."""


def test_the_tables_have_every_command_and_endpoint(tmp_path: Path) -> None:
    assert sorted(ATTEMPTS) == TAGS
    router = Server(Config(data=tmp_path), single_node(SqliteStore(tmp_path / "noughts.db"))).application().router
    routes = {f"{route.method} {route.resource.canonical}" for route in router.routes() if route.resource is not None}
    assert {route for route in routes if " /admin/" in route} == ADMIN


class Stage(NamedTuple):
    """A game after two moves, and people who watch it. ``dan`` owns another room, ``nameless`` has no token."""

    game: Pair
    cat: Socket
    dan: Socket
    nameless: Socket


@asynccontextmanager
async def stage(server: Served) -> AsyncIterator[Stage]:
    async with pair(server) as game, AsyncExitStack() as stack:
        await game.x.ok("move", id="x1", ply=0, cell="b2")
        await game.o.ok("move", id="o1", ply=1, cell="a1")
        cat, dan = await guest(server.url, "Cat"), await guest(server.url, "Dan")
        await friends_room(server, dan)
        sockets = [await stack.enter_async_context(enter(server, game.id, api)) for api in (cat, dan, None)]
        yield Stage(game, *sockets)


def filled(fields: Message, game: Pair) -> Message:
    names = {"INVITE": game.invite, "ANN": game.ann.player["id"]}
    return {name: names.get(value, value) if isinstance(value, str) else value for name, value in fields.items()}


async def rejections(scene: Stage, kind: str) -> int:
    """Let all who may not do it send a command. Check that nothing changed, and return how many were rejected."""
    game, count = scene.game, 0
    before = await game.view()
    for fields, watcher, opponent in ATTEMPTS[kind]:
        parts = filled(fields, game)
        codes = ((scene.cat, watcher), (scene.dan, watcher), (game.o, opponent), (scene.nameless, "unauthorized"))
        for command_id, (socket, code) in itertools.product((None, "x1"), codes):
            if code is not None:
                assert await socket.rejected(kind, id=command_id, **parts) == code, (kind, parts)
                count += 1
    assert await game.view() == before, kind
    for socket in (game.x, scene.nameless):
        await socket.ask("ping")
        assert socket.last["room"]["version"] == before["version"], "a rejected command reached somebody"
        assert len(socket.last["chat"]["lines"]) == 0
    return count


async def test_a_command_of_another_person_is_rejected(server: RunningServer) -> None:
    """A new id, and an id that the server answered to the owner with ok, are rejected alike."""
    count = 0
    for kind in TAGS:
        async with stage(server) as scene:
            count += await rejections(scene, kind)
    print(f"{count} attempts at {len(TAGS)} commands: all rejected, 0 changes")


async def test_an_id_of_another_player_is_no_answer(server: RunningServer) -> None:
    """An id belongs to its player: the opponent's id does not answer a command of the same id."""
    async with stage(server) as scene:
        game = scene.game
        assert await game.x.rejected("move", id="o1", ply=1, cell="c1") == "stale"
        answer = await game.x.ok("move", id="o1", ply=2, cell="c1")
        assert answer["version"] > (await game.o.ask("move", id="o1", ply=1, cell="a1"))["version"]
        assert (await game.view())["game"]["moves"] == ["b2", "a1", "c1"]


# --- HTTP ---------------------------------------------------------------------------------------------------------


async def false_tokens(server: RunningServer) -> dict[str, str]:
    """Return texts that are secrets or ids of somebody, and no token that is valid."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    answer = await friends_room(server, ann)
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    status, _ = await ben.call("DELETE", "/api/players/me")
    assert status == 200
    token = str(ann.token)
    return {
        "of a deleted player": str(ben.token),
        "an invite": answer["invite"],
        "a room": answer["room"]["id"],
        "a player": ann.player["id"],
        "a resume code": code,
        "a part": token[:-1],
        "a token and more": token + "A",
        "another case": token.swapcase(),
        "two tokens": f"{token}, {token}",
        "a wildcard": "%",
        "nothing": "",
        "a quotation mark": "' OR '1'='1",
        "very long": 4_000 * "A",
    }


async def test_an_endpoint_needs_a_valid_token(server: RunningServer) -> None:
    answers: dict[tuple[str, str], tuple[int, Any]] = {}
    for endpoint in PROTECTED:
        line = endpoint.method, endpoint.path.format(id="x")
        for kind, token in (await false_tokens(server)).items():
            headers = {"Authorization": f"Bearer {token}"}
            body: object = {} if endpoint.body is not None else None
            answers[endpoint.name, kind] = await Api(server.url).call(*line, body, headers)
        for scheme in ("Basic", "Token", "bearer:", "Digest"):
            headers = {"Authorization": f"{scheme} {(await guest(server.url)).token}"}
            answers[endpoint.name, scheme] = await Api(server.url).call(*line, None, headers)
        answers[endpoint.name, "none"] = await Api(server.url).call(*line)
    assert {kind: answer for kind, answer in answers.items() if answer[0] != 401} == {}
    bodies = {str(body) for _, body in answers.values()}
    assert len(bodies) == 1, "all answers must be the same"
    print(f"{len(answers)} requests to {len(PROTECTED)} endpoints without a valid token: all 401, {len(bodies)} body")


async def test_only_the_operator_uses_admin_endpoints(server: RunningServer) -> None:
    tokens = {**await false_tokens(server), "of a player": str((await guest(server.url)).token)}
    for line, (kind, token) in itertools.product(sorted(ADMIN), tokens.items()):
        method, path = line.format(id="r").split()
        headers = {"Authorization": f"Bearer {token}"}
        body = {"address": "127.0.0.1"} if method == "POST" else None
        status, answer = await Api(server.url).call(method, path, body, headers)
        assert (status, answer["error"]["code"]) == (404, "not_found"), (line, kind, status, answer)
    for method in ("GET", "POST"):
        status, _ = await Api(server.url, str(tokens["of a player"])).call(
            method, "/admin", None, {"Accept": "text/html"}
        )
        assert status == 404
    print(f"{len(tokens)} false secrets at {len(ADMIN)} admin endpoints: all 404")


async def test_one_player_never_acts_for_another(server: RunningServer) -> None:
    """A player's id in a body, a query or a header changes nothing: the token alone says who asks."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    theirs = {"player": ann.player["id"], "id": ann.player["id"], "name": "Eve"}
    status, body = await ben.call("PATCH", f"/api/players/me?player={ann.player['id']}", theirs)
    assert (status, body["player"]["id"]) == (200, ben.player["id"])
    tries = 1
    for path in (f"/api/players/{ann.player['id']}", f"/api/players/{ann.player['id']}/resume-code", "/api/players/"):
        for method in ("GET", "PATCH", "DELETE", "POST"):
            status, _ = await ben.call(method, path, {"name": "Eve"} if method == "PATCH" else None)
            assert status in (404, 405), (method, path, status)
            tries += 1
    assert (await ann.get("/api/players/me"))["player"]["name"] == "Ann"
    print(f"{tries} requests with another player's id: 0 changes")
