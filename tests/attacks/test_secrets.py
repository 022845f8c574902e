"""Secrets of an evening on a server with its default settings, searched for wherever they do not belong."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

import pytest
import pytest_asyncio

from tests.support.player import Api, Socket, connect, enter, friends_room, guest
from tests.support.raw_http import END, exchange, request
from tests.support.raw_websocket import LOBBY_HELLO, TEXT, client_frame, handshake
from tests.support.server import RunningServer

CHAT: Final = "canary of a closed room"
NAME: Final = "Canary Forgotten"
PATHS: Final = (
    "/", "/r/{room}", "/embed/r/{room}", "/replay", "/embed/replay", "/api/rooms/{room}", "/api/rooms/{room}/games/1",
    "/api/rooms", "/api/rooms?state=live", "/api/variants", "/healthz", "/readyz", "/metrics", "/api/openapi.json",
    "/api/asyncapi.json", "/manifest.webmanifest", "/service-worker.js", "/robots.txt", "/nothing", "/r/{room}/preview.png",
    "/api/rooms/{closed}", "/r/{closed}",
)  # fmt: skip
"""What anybody may read, and the metrics."""


@dataclass
class Evening:
    """What happened, and what the server wrote and sent of it. ``secrets`` maps each text to what it is."""

    server: RunningServer
    secrets: dict[str, str] = field(default_factory=dict)
    room: str = ""
    closed: str = ""
    answers: str = ""
    """All heads and bodies that anybody may read."""
    frames: str = ""
    """All frames to spectators, to the lobby, and to players of other rooms."""
    rejections: str = ""
    """Answers to requests with a secret where none belongs."""
    log: str = ""
    bytes: bytes = b""
    """All files of the data directory after the end, except that with the admin secret."""


async def misplaced(evening: Evening, token: str, invite: str) -> None:
    """Send secrets where they do not belong. A client that is not well written may do so."""
    room = evening.room
    lines = [
        request(f"GET /api/rooms?token={token}"),
        request(f"GET /r/{room}?invite={invite}"),
        request(f"GET /ws?access_token={token}"),
        request(f"GET /api/rooms/{token}"),
        request(f"GET /r/{invite}"),
        request(f"GET /{token}"),
        request(f"{token} /"),
        request("GET /api/rooms", f"Referer: http://127.0.0.1/r/{room}#i={invite}"),
        request("GET /api/rooms", f"Referer: http://127.0.0.1/?token={token}", f"User-Agent: {token}"),
        request("GET /api/rooms", f"Cookie: token={token}"),
        request("GET /nothing", f"{token}: 1", "Accept: text/html"),
        request("POST /api/rooms", f"Content-Type: {token}", f"Authorization: Bearer {token}", body=b"{}"),
        request("POST /api/rooms", "Content-Type: application/json", f"Authorization: Bearer {token}",
                body=f'{{"variant":"{token}","opponent":"friend"}}'.encode()),
        request("POST /api/players/resume", "Content-Type: application/json", body=f'{{"code":"{token}"}}'.encode()),
        b"GET / HTTP/" + token.encode() + b"\r\n\r\n",
        b"GET /" + 9_000 * b"a" + token.encode() + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    ]  # fmt: skip
    for line in lines:
        evening.rejections += str(await exchange(evening.server, line + END))
    for protocol in (token, f"bearer, {token}"):
        async with handshake(evening.server, changed={"Sec-WebSocket-Protocol": protocol}) as client:
            evening.rejections += (await client.reader.read(1) if client.status != 101 else b"").decode()
    for text in (
        f'{{"type":"hello","protocol":1,"room":"{token}"}}',
        f'{{"type":"hello","protocol":"{token}"}}',
        token,
    ):
        async with handshake(evening.server) as client:
            client.writer.write(client_frame(TEXT, text.encode()))
            await client.close_code()
    async with handshake(evening.server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO) + client_frame(TEXT, f'{{"{token}":'.encode()))
        client.writer.write(client_frame(3, token.encode()))
        await client.close_code()


async def play(evening: Evening, stack: AsyncExitStack) -> None:
    """Let people play, chat, close a room, move to another device and delete an account."""
    server = evening.server
    ann, ben, cat = [await guest(server.url, name) for name in ("Ann", "Ben", "Cat")]
    gone = await guest(server.url, NAME)
    first, second = await friends_room(server, ann), await friends_room(server, ann)
    evening.room, evening.closed = first["room"]["id"], second["room"]["id"]
    code = (await ann.post("/api/players/me/resume-code"))["code"]
    twin = await Api(server.url).post("/api/players/resume", {"code": code})
    unused = (await ann.post("/api/players/me/resume-code"))["code"]
    admin_secret = json.loads((server.data / "admin.json").read_text())["token"]
    operator = Api(server.url, admin_secret)
    admin_codes = [(await operator.post("/admin/codes"))["code"] for _ in range(2)]
    session = (await Api(server.url).post("/admin/session", {"code": admin_codes[0]}))["session"]
    await Api(server.url, session).get("/admin/players")
    evening.secrets = {
        **{str(api.token): "a token" for api in (ann, ben, cat, gone)},
        twin["token"]: "a second token",
        first["invite"]: "an invite",
        second["invite"]: "the invite of a closed room",
        code: "a used resume code",
        unused: "a resume code",
        admin_secret: "the admin secret",
        admin_codes[0]: "a used code of the admin page",
        admin_codes[1]: "a code of the admin page",
        session: "a session of the admin page",
    }

    async def watched(hello: dict[str, object]) -> Socket:
        return await stack.enter_async_context(connect(server.ws_url, hello))

    watchers = [
        await watched({"lobby": True}),
        await watched({"room": evening.room}),
        await watched({"room": evening.room, "token": cat.token}),
    ]
    async with enter(server, evening.room, ann) as x, enter(server, evening.room, ben) as o:
        await o.ok("sit", mark="O", invite=first["invite"])
        for ply, cell in enumerate(("b2", "a1", "c3", "a3")):
            answer = await (x, o)[ply % 2].ask("move", ply=ply, cell=cell)
            assert answer["type"] == "ok", answer
        assert (await x.ask("chat", text="good luck"))["type"] == "ok"
        await misplaced(evening, str(ann.token), first["invite"])
        last = (await x.ask("move", ply=4, cell="a2"))["version"]
        for watcher in watchers[1:]:
            await watcher.until_room(lambda room: room["version"] >= last)
        await watchers[0].ask("ping")
    async with enter(server, evening.closed, ann) as x, enter(server, evening.closed, gone) as o:
        await o.ok("sit", mark="O", invite=second["invite"])
        assert (await x.ask("chat", text=CHAT))["type"] == "ok"
        await x.ask("close")
        assert await o.closed() == 4410
    assert (await gone.call("DELETE", "/api/players/me"))[0] == 200
    evening.frames = "".join(str(watcher.seen) for watcher in watchers)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def evening(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Evening]:
    """Return an evening on a server that has been stopped in the end."""
    server = RunningServer(tmp_path_factory.mktemp("secrets") / "data", {"NOUGHTS_WORKERS": "1"}).start()
    evening = Evening(server)
    try:
        async with AsyncExitStack() as stack:
            await play(evening, stack)
            for path in PATHS:
                line = f"GET {path.format(room=evening.room, closed=evening.closed)}"
                for answer in await exchange(server, request(line, "Accept: text/html") + END):
                    evening.answers += answer.head + answer.body.decode("latin-1")
        evening.log = server.log
        files = sorted(path for path in server.data.iterdir() if path.name != "admin.json")
        evening.bytes = b"".join(path.read_bytes() for path in files)
        server.stop()
        evening.log = server.log
    finally:
        server.kill()
    yield evening


def leaks(evening: Evening, text: str) -> list[str]:
    return [kind for secret, kind in evening.secrets.items() if secret in text]


def search(evening: Evening, where: str, text: str) -> None:
    """Check that a text holds no secret, and print what was searched."""
    leaked = leaks(evening, text)
    print(f"{where}: {len(leaked)} of {len(evening.secrets)} secrets in {len(text)} characters")
    assert leaked == []


def test_no_secret_is_in_the_log(evening: Evening) -> None:
    assert "Traceback" not in evening.log
    search(evening, "the log", evening.log)
    assert CHAT not in evening.log
    assert evening.room not in evening.log


def test_no_secret_is_in_what_anybody_may_read(evening: Evening) -> None:
    assert evening.room in evening.answers  # the search would find them
    assert "noughts_commands" in evening.answers
    search(evening, "what anybody may read", evening.answers)
    assert CHAT not in evening.answers


def test_no_secret_is_sent_to_others(evening: Evening) -> None:
    assert "good luck" in evening.frames
    search(evening, "frames to others", evening.frames)
    assert CHAT not in evening.frames


def test_a_secret_in_the_wrong_field_is_not_repeated(evening: Evening) -> None:
    """Answers and error pages may be logged by others."""
    assert "400" in evening.rejections
    search(evening, "rejections", evening.rejections)


def test_only_hashes_and_invites_are_in_the_file(evening: Evening) -> None:
    """The invite of an open room is stored, because its link must open the seat after a restart."""
    kinds = {kind for secret, kind in evening.secrets.items() if secret.encode() in evening.bytes}
    print(f"the data directory: {sorted(kinds)} of {len(evening.secrets)} secrets in {len(evening.bytes)} bytes")
    assert kinds - {"the invite of a closed room"} == {"an invite"}


def test_what_was_deleted_is_in_no_table(evening: Evening) -> None:
    store = sqlite3.connect(f"file:{evening.server.data / 'noughts.db'}?mode=ro", uri=True)
    tables = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    rows = "".join(str(store.execute(f"SELECT * FROM {table}").fetchall()) for table in tables)
    store.close()
    assert "good luck" in rows
    assert CHAT not in rows
    assert NAME not in rows
    print(f"{len(tables)} tables: nothing of a deleted guest and a closed room in {len(rows)} characters")


def test_links_and_redirects_hold_no_secret(evening: Evening) -> None:
    """A Referer repeats the address of a page, so no address may hold a secret."""
    links = re.findall(r"(?:href|src|action|content)=[\"']?([^\"' >]+)|Location: (\S+)", evening.answers)
    assert len(links) > 10
    search(evening, f"{len(links)} links", str(links))
    assert "Referrer-Policy" in evening.answers
