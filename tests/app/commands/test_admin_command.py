"""The operator's commands to a running server: what they print, and what a mistake prints."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from noughts.app.runtime.admin_secret import SECRET_FILE
from tests.conftest import StartServer
from tests.support.cli_runs import Capture, noughts
from tests.support.local_server import LocalServer, local_server
from tests.support.one_answer import answering
from tests.support.player import Api, connect
from tests.support.rooms import pair

LOG_LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[.*\n", re.M)
"""A line of the server's log, which runs in the same process."""
NO_ROOM = "noughts: there is no such room on this server: `noughts rooms` lists all rooms.\n"
NO_ADDRESS = "noughts: Name one address, such as 203.0.113.9 or 2001:db8::9, or a player's id, such as p_Xk29.\n"


async def admin(capsys: Capture, server: LocalServer, *arguments: object) -> tuple[int, str]:
    """Run an admin command while the server of this process answers."""
    server.server.admin_secret.write(server.url)
    status, text = await asyncio.to_thread(noughts, capsys, *arguments, "--data", server.data)
    return status, LOG_LINE.sub("", text)


@pytest.mark.parametrize(
    "arguments", [("serve", "--grace", "5"), ("rooms", "--dat", "."), ("close", "x", "--dat", "."), ("ban", "--lif")]
)
def test_a_flag_is_accepted_by_its_full_name_only(capsys: Capture, arguments: tuple[str, ...]) -> None:
    status, text = noughts(capsys, *arguments)
    assert status == 2
    assert "unrecognized arguments: --" in text


def test_a_command_does_not_load_the_server() -> None:
    """It would take the command most of its time."""
    code = (
        "import sys, noughts.app.commands.admin_command; print({'aiohttp', 'noughts.app.server'} & sys.modules.keys())"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "set()\n"


async def test_a_link_to_the_admin_page_is_printed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with local_server(tmp_path) as server:
        status, text = await admin(capsys, server, "admin")
        first, link, last = text.splitlines()
        assert (status, "within ten minutes" in first, "--public-url" in last) == (0, True, True)
        base, _, code = link.partition("/#admin=")
        assert base == server.url
        await Api(server.url).post("/admin/session", {"code": code})
    async with local_server(tmp_path, host="0.0.0.0") as server:
        *_, link, last = (await admin(capsys, server, "admin"))[1].splitlines()
        assert (link.startswith(server.url), last.startswith("The last one works on this machine")) == (True, True)
    async with local_server(tmp_path, public_url="https://games.example.org") as server:
        assert (await admin(capsys, server, "admin"))[1].count("\n") == 2
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        _, link, *picture = (await admin(capsys, server, "admin"))[1].splitlines()
        assert link.startswith("https://games.example.org/#admin=")
        assert len(picture) > 15, "a terminal shows a QR code"
    async with local_server(tmp_path, admin_page=False) as server:
        status, text = await admin(capsys, server, "admin")
        assert (status, "NOUGHTS_ADMIN_PAGE=on" in text) == (2, True)


async def test_rooms_are_listed_and_closed(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    async with local_server(tmp_path) as server:
        assert (await admin(capsys, server, "rooms"))[1].endswith("\n0 rooms\n")
        async with pair(server) as game:
            status, text = await admin(capsys, server, "rooms")
            assert status == 0
            head, row, total = text.splitlines()
            assert head.split() == ["room", "variant", "phase", "ply", "here", "unused", "players"]
            assert row.split()[:5] == [game.id, "classic", "playing", "0", "2"]
            assert row.endswith("  Ann, Ben")
            assert total == "1 room"
            await game.ann.post("/api/rooms", {"variant": "classic", "opponent": "engine", "level": "novice"})
            monkeypatch.setattr("noughts.app.rooms.admin.MAX_LISTED", 1)
            assert (await admin(capsys, server, "rooms"))[1].endswith("\nthe newest 1 of 2 rooms\n")
            assert await admin(capsys, server, "close", game.id) == (0, f"closed {game.id}\n")
            assert await game.x.closed() == 4410
        assert await admin(capsys, server, "close", game.id) == (2, NO_ROOM)


async def test_an_address_is_banned_and_the_ban_lifted(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path) as server:
        assert await admin(capsys, server, "ban") == (0, "no address is banned\n")
        async with connect(server.ws_url, {"lobby": True}) as client:
            await client.until(lambda message: message["type"] == "lobby")
            assert await admin(capsys, server, "ban", "127.0.0.1") == (0, "127.0.0.1\n")
            assert await client.closed() == 1008
    async with local_server(tmp_path) as server:  # the ban outlives a restart
        assert (await Api(server.url).call("GET", "/api/variants"))[0] == 403
        assert await admin(capsys, server, "ban", "127.0.0.1", "--lift") == (0, "no address is banned\n")
        assert (await Api(server.url).call("GET", "/api/variants"))[0] == 200


async def test_players_are_listed_renamed_and_deleted(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path) as server, pair(server) as game:
        ann = str(game.ann.player["id"])
        status, text = await admin(capsys, server, "players")
        head, *rows, total = text.splitlines()
        assert head.split() == ["player", "connected", "address", "node", "name"]
        assert {row.split()[0] for row in rows} == {ann, game.ben.player["id"]}
        assert all("127.0.0.1" in row for row in rows)
        assert (status, total) == (0, "2 connections")
        assert await admin(capsys, server, "rename", ann, "Anna") == (0, f"{ann} is now Anna\n")
        await game.o.until_room(lambda view: view["seats"]["X"]["name"] == "Anna")
        await game.x.ok("chat", text="hello \u0645\u200c \U0001f469\u200d\U0001f467")
        status, text = await admin(capsys, server, "chat", game.id)
        line, total = text.splitlines()
        assert (status, line.endswith("Anna: hello \u0645\u200c \U0001f469\u200d\U0001f467"), total) == (
            0,
            True,
            "1 line, times in UTC",
        )
        assert await admin(capsys, server, "forget", ann) == (0, f"deleted {ann}\n")
        assert await game.x.closed() == 4401
        await game.o.until_room(lambda view: view["seats"]["X"]["name"] == "someone")
        for command in (("rename", ann, "Eve"), ("forget", ann)):
            status, text = await admin(capsys, server, *command)
            assert (status, text.startswith("noughts: there is no such player")) == (2, True)


STRANGE_ROOMS = ["nope", "a b", "../x y", "..", "é", os.fsdecode(b"\xff"), "x?y#z", "%", "{room}/", "", "\n"]
STRANGE_ADDRESSES = ["é", os.fsdecode(b"\xff"), "", "a b", "10.0.0.0/8", "127.0.0.1:80", "\n", "everybody"]


async def test_strange_arguments_are_answered_in_one_line(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path) as server, pair(server) as game:
        for room in STRANGE_ROOMS:
            assert await admin(capsys, server, "close", room.format(room=game.id)) == (2, NO_ROOM), room
        status, text = await admin(capsys, server, "close", "x" * 10_000)
        assert (status, text.startswith("noughts: "), text.count("\n")) == (2, True, 1)
        for address in STRANGE_ADDRESSES:
            for lift in ((), ("--lift",)):
                status, text = await admin(capsys, server, "ban", address, *lift)
                assert (status, text.startswith("noughts: "), text.count("\n")) == (2, True, 1), address
        assert await admin(capsys, server, "ban", "a b") == (2, NO_ADDRESS)
        status, text = await admin(capsys, server, "ban", "--lift")
        assert status == 2
        assert text == "noughts: name the address whose ban to lift, such as: noughts ban --lift 203.0.113.9\n"
        assert (await game.view())["phase"] == "playing"


def test_without_a_server_there_is_nothing_to_ask(tmp_path: Path, capsys: Capture) -> None:
    message = f"noughts: no server runs on {tmp_path}: start one, or name its data directory with --data.\n"
    assert noughts(capsys, "rooms", "--data", tmp_path) == (2, message)


def test_a_server_that_was_killed_does_not_answer(start_server: StartServer, capsys: Capture) -> None:
    server = start_server()
    server.kill()
    message = f"noughts: the server at {server.url} does not answer: start it again.\n"
    assert noughts(capsys, "rooms", "--data", server.data) == (2, message)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"SSH-2.0\r\n", "does not answer: start it again."),
        (b"HTTP/1.0 200 OK\r\n\r\n<p>", "does not answer: start it again."),
        (b"HTTP/1.0 404 No\r\nContent-Length: 9\r\n\r\n<p>", "answered 404: another program may have its port now."),
    ],
)
async def test_another_program_on_the_port_is_no_server(
    tmp_path: Path, capsys: Capture, answer: bytes, message: str
) -> None:
    async with answering(answer) as url:
        (tmp_path / SECRET_FILE).write_text(json.dumps({"url": url, "token": "x"}))
        result = await asyncio.to_thread(noughts, capsys, "rooms", "--data", tmp_path)
        assert result == (2, f"noughts: the server at {url} {message}\n")


async def test_a_port_that_another_server_has_now_is_passed_over(tmp_path: Path, capsys: Capture) -> None:
    """Two nodes were killed and left files, newer than that of a node that runs. Another server took the port of one."""
    async with local_server(tmp_path / "here") as server, local_server(tmp_path / "elsewhere") as other:
        data = tmp_path / "here"
        server.server.admin_secret.write(server.url)
        for number, url in enumerate(("http://127.0.0.1:1", other.url)):
            (data / f"admin-{number}.json").write_text(json.dumps({"url": url, "token": "x"}))
        status, text = await asyncio.to_thread(noughts, capsys, "nodes", "--data", data)
        assert (status, text.count("a file: every acknowledged change")) == (0, 1)
        server.server.admin_secret.remove()
        status, text = await asyncio.to_thread(noughts, capsys, "nodes", "--data", data)
        assert (status, "another program may have its port now" in text) == (2, True)
