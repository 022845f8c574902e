"""The machine-readable documents against the server: every route is in them, and what it sends is as they say."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import aiohttp
from aiohttp import hdrs
from noughts.app.web import Server
from noughts.store.sqlite_store import SqliteStore

from noughts.app import requests, sockets
from noughts.app.runtime.config import Config
from noughts.protocol.asyncapi import CLOSE_CODES, MESSAGES
from noughts.protocol.endpoints import CALLS, REFUSALS
from tests.support.documents import validator
from tests.support.player import Api, connect, enter, friends_room, guest

APP = Path(sockets.__file__).parent
NO_API = {"/", "/static/{path}", "/favicon.ico", "/robots.txt"}
"""The page and its files: nothing for clients."""


def test_every_route_is_described_and_every_description_has_a_route(tmp_path):
    app = Server(Config(data=tmp_path), SqliteStore(tmp_path / "noughts.db")).application()
    routes = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource is not None and route.method != hdrs.METH_HEAD
    }
    # The operator's commands speak to their own server through a secret: see docs/running.md.
    public = {(method, path) for method, path in routes if path not in NO_API and not path.startswith("/operator/")}
    assert public == {(call.method, call.path) for call in CALLS}


def test_codes_have_the_statuses_that_the_document_gives_them():
    for status, (_, codes) in REFUSALS.items():
        assert {requests._STATUS[code] for code in codes} == {status}


def test_every_close_code_of_the_server_is_described():
    named = {"GOING_AWAY": 1001, "POLICY_VIOLATION": 1008, "SERVICE_RESTART": 1012}
    used = set()
    for path in APP.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "WSCloseCode":
                used.add(named[node.attr])
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target).startswith("CLOSE_"):
                used.add(ast.literal_eval(node.value))
    assert used, "the search finds none: the names of close codes have changed"
    # The rest are aiohttp's own: it goes away, or a frame, a text or a size was wrong.
    assert used | {1001, 1002, 1007, 1009} == set(CLOSE_CODES)


async def test_both_documents_are_served(server):
    for path, version in (("openapi", "3.1.0"), ("asyncapi", "3.0.0")):
        document = await Api(server.url).get(f"/api/{path}.json")
        assert document[path] == version


async def test_every_message_of_an_evening_is_as_described(server):
    """Friends play, talk and part: all that anybody is sent is valid."""
    document = await Api(server.url).get("/api/asyncapi.json")
    message = validator(document, *(kind.__name__ for kind in MESSAGES))
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    made = await friends_room(server, ann, clock={"mode": "fischer", "initial_ms": 60_000, "increment_ms": 0})
    room = made["room"]["id"]
    async with (
        enter(server, room, ann) as x,
        enter(server, room, ben) as o,
        enter(server, room) as watcher,
        connect(server.ws_url, {"lobby": True}) as lobby,
    ):
        await o.ok("sit", mark="O", invite=made["invite"])
        await x.until_room(lambda view: view["phase"] == "playing")
        for ply, cell in enumerate(("b2", "a1", "b1")):
            socket = (x, o)[ply % 2]
            await socket.until_room(lambda view, ply=ply: len(view["game"]["moves"]) == ply)
            await socket.move(cell)
        assert await watcher.rejected("stand") == "unauthorized"
        assert await o.rejected("move", ply=0, cell="a3") == "stale"
        await o.ok("offer", what="draw")
        await x.until_room(lambda view: view["offers"])
        await x.ok("answer", what="draw", accept=False)
        await x.ok("chat", text="a line")
        await x.ok("react", emoji=x.last["welcome"]["reactions"][0])
        await o.until(lambda seen: seen["type"] == "reaction")
        await x.ask("ping")
        await o.ok("resign")
        await o.ok("offer", what="rematch")
        await x.until_room(lambda view: view["offers"])
        await x.ok("offer", what="rematch")
        await lobby.until(lambda seen: seen["type"] == "lobby")
        await o.ok("resign")
        await x.ok("close")
        assert await watcher.closed() == 4410
        kinds = set()
        for socket in (x, o, watcher, lobby):
            for seen in socket.seen:
                kinds.add(seen["type"])
                assert message.is_valid(seen), (seen, [str(wrong) for wrong in message.iter_errors(seen)])
        assert kinds == {str(kind.__struct_config__.tag) for kind in MESSAGES}


async def test_the_games_of_an_evening_are_as_described(server):
    """One move in every variant: views, records and analyses hold what only some variants have."""
    document = await Api(server.url).get("/api/openapi.json")
    ann = await guest(server.url)
    variants = await ann.get("/api/variants")
    assert validator(document, "VariantsAnswer").is_valid(variants)
    for variant in variants["variants"]:
        made = await ann.post(
            "/api/rooms", {"variant": variant["key"], "opponent": "engine", "mark": "X", "level": "novice"}
        )
        assert validator(document, "RoomAnswer").is_valid(made)
        room = made["room"]["id"]
        async with enter(server, room, ann) as x:
            view = await x.until_room(lambda view: view["phase"] == "playing")
            await x.move(view["game"]["legal"][0])
            await x.until_room(lambda view: len(view["game"]["moves"]) == 2)
            await x.ok("resign")
        assert validator(document, "View").is_valid(await ann.get(f"/api/rooms/{room}"))
        record = await ann.get(f"/api/rooms/{room}/games/1")
        assert validator(document, "GameRecord").is_valid(record)
        assert len(record["moves"]) == 2


async def test_errors_are_as_described(server):
    document = await Api(server.url).get("/api/openapi.json")
    error = validator(document, "ErrorAnswer")
    async with aiohttp.ClientSession(server.url) as session:
        for method, path, body, status in (
            ("GET", "/api/players/me", None, 401),
            ("GET", "/api/rooms/unknown", None, 404),
            ("GET", "/api/rooms?state=gone", None, 400),
            ("GET", "/api/analysis?variant=classic&moves=a1,a1", None, 400),
            ("GET", "/api/variants?token=x", None, 400),
            ("POST", "/api/players", "[", 400),
            ("POST", "/api/players", " " * 20_000, 413),
            ("PUT", "/api/players", "{}", 405),
        ):
            headers = {"Content-Type": "application/json"} if body is not None else {}
            async with session.request(method, path, data=body, headers=headers) as answer:
                told = json.loads(await answer.read())
                assert answer.status == status, told
                assert error.is_valid(told), told
