"""The ``noughts`` command: serving, and what the operator reads after a command or a mistake."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from noughts import __version__
from noughts.app import cli
from noughts.app.endpoints.admin import SECRET_FILE, read_secrets
from noughts.app.runtime.config import SETTINGS, markdown
from noughts.app.runtime.data_directory import DATABASE
from noughts.engine.book import NotProvedError
from noughts.engine.prove import Proof
from noughts.engine.verdict import Verdict
from tests.conftest import StartServer
from tests.support.local_server import LocalServer, local_server
from tests.support.player import WAIT_S, Api, connect
from tests.support.redis_server import redis_farm
from tests.support.rooms import pair

Capture = pytest.CaptureFixture[str]
NO_ROOM = "noughts: there is no such room on this server: `noughts rooms` lists all rooms.\n"
NO_ADDRESS = "noughts: Name one address, such as 203.0.113.9 or 2001:db8::9.\n"


def noughts(capsys: Capture, *arguments: object) -> tuple[int, str]:
    """Run a command. Return its exit status and everything that it printed."""
    try:
        status = cli.main([str(argument) for argument in arguments])
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    return status, "".join(capsys.readouterr())


async def admin(capsys: Capture, server: LocalServer, *arguments: object) -> tuple[int, str]:
    """Run an admin command while the server of this process answers."""
    server.server.admin.write_secret(server.url)
    return await asyncio.to_thread(noughts, capsys, *arguments, "--data", server.data)


# --- arguments ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [("--help",), ("serve", "--help"), ("ban", "--help")])
def test_help_is_there(capsys: Capture, arguments: tuple[str, ...]) -> None:
    status, text = noughts(capsys, *arguments)
    assert status == 0
    assert "usage: noughts" in text


def test_the_help_of_serve_describes_every_setting(capsys: Capture) -> None:
    _, text = noughts(capsys, "serve", "--help")
    for setting in SETTINGS:
        assert setting.flag in text
        assert setting.variable in text


def test_the_version(capsys: Capture) -> None:
    assert noughts(capsys, "--version") == (0, f"noughts {__version__}\n")


def test_settings_prints_the_page_of_settings(capsys: Capture) -> None:
    assert noughts(capsys, "settings") == (0, markdown())


@pytest.mark.parametrize(
    "arguments",
    [("serve", "--grace", "5"), ("rooms", "--dat", "."), ("close", "x", "--dat", "."), ("ban", "--lif"), ("--vers",)],
)
def test_a_flag_is_accepted_by_its_full_name_only(capsys: Capture, arguments: tuple[str, ...]) -> None:
    status, text = noughts(capsys, *arguments)
    assert status == 2
    assert "unrecognized arguments: --" in text or "the following arguments are required" in text


# --- serve --------------------------------------------------------------------------------------------------------


@pytest.fixture
def as_a_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give ``serve`` an environment without settings, keep the logs as they are, and undo what it does to the process."""
    for name in [name for name in os.environ if name.startswith("NOUGHTS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(cli, "set_up_logs", lambda *arguments: None)
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def serve(capsys: Capture, data: Path, *arguments: str, signal_number: int = signal.SIGTERM) -> tuple[int, str]:
    """Serve until the server is ready, then send this process a signal. Return exit status and output."""
    ended = threading.Event()

    def stop_once_ready() -> None:
        while not ended.wait(0.02):
            if read_secrets(data):
                os.kill(os.getpid(), signal_number)
                return

    thread = threading.Thread(target=stop_once_ready)
    thread.start()
    try:
        return noughts(capsys, "serve", "--port", "0", "--data", data, "--workers", "1", *arguments)
    finally:
        ended.set()
        thread.join()


@pytest.mark.usefixtures("as_a_process")
@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_serve_serves_until_a_signal(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, signal_number: int
) -> None:
    monkeypatch.setenv("NOUGHTS_NONSENSE", "1")
    data = tmp_path / "new" / "data"
    status, text = serve(capsys, data, "--host", "0.0.0.0", signal_number=signal_number)
    assert status == 0
    assert "Noughts is ready: open http://127.0.0.1:" in text
    assert "There is no setting NOUGHTS_NONSENSE: the server ignores it." in text
    assert "stopping" in text
    assert (data / DATABASE).is_file()
    assert not (data / SECRET_FILE).exists()
    assert {path.stat().st_mode & 0o077 for path in (data, *data.iterdir())} == {0}


@pytest.mark.usefixtures("as_a_process")
def test_nohup_keeps_a_server(tmp_path: Path, capsys: Capture) -> None:
    """It ignores SIGHUP for the server, which then serves on when the terminal ends."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert serve(capsys, tmp_path / "data")[0] == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("as_a_process")
def test_the_store_may_be_a_file_elsewhere(tmp_path: Path, capsys: Capture) -> None:
    store = tmp_path / "elsewhere.db"
    arguments = ("--store", f"sqlite:{store}", "--public-url", "https://games.example.org")
    status, text = serve(capsys, tmp_path / "data", *arguments)
    assert status == 0
    assert "Noughts is ready: open https://games.example.org\n" in text
    assert store.is_file()
    assert not (tmp_path / "data" / DATABASE).exists()


@pytest.mark.usefixtures("as_a_process")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--port", "x"), "--port must be a whole number, not 'x'."),
        (
            ("--port", "0", "--host", "203.0.113.77"),
            "cannot listen on 203.0.113.77:0: this machine has no such address."
            " Choose another one with --host (make run HOST=127.0.0.1).",
        ),
        (
            ("--port", "0", "--host", "no.such.host.invalid"),
            "cannot listen on no.such.host.invalid:0: this machine has no such address."
            " Choose another one with --host (make run HOST=127.0.0.1).",
        ),
    ],
)
def test_a_server_that_cannot_start_says_what_to_do(
    tmp_path: Path, capsys: Capture, arguments: tuple[str, ...], message: str
) -> None:
    assert noughts(capsys, "serve", *arguments, "--data", tmp_path, "--workers", "1") == (2, f"noughts: {message}\n")


@pytest.mark.usefixtures("as_a_process")
def test_a_node_serves_from_redis(tmp_path: Path, capsys: Capture) -> None:
    """Its password comes from a file. It keeps no data in its directory, and needs no lock there."""
    password = tmp_path / "password"
    password.write_text("s3cret\n")
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server(requirepass="s3cret", appendonly="no")
        arguments = ("--store", redis.url, "--store-password-file", password, "--store-prefix", "club")
        status, text = serve(capsys, tmp_path / "data", *map(str, arguments))
        assert status == 0, text
        assert "s3cret" not in text
        assert redis.command("GET", "{club}:schema", password="s3cret") is not None
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.usefixtures("as_a_process")
def test_a_password_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: Capture) -> None:
    arguments = ("--store", "redis://127.0.0.1:1", "--store-password-file", str(tmp_path / "none"))
    status, text = noughts(capsys, "serve", *arguments)
    assert status == 2
    assert "the file of --store-password-file cannot be read" in text
    assert text.count("\n") == 1


def test_a_server_on_a_file_does_not_load_the_client_of_redis() -> None:
    """It takes 0.2 to 0.3 s."""
    code = "import sys, noughts.app.cli; print({'redis', 'hiredis'} & sys.modules.keys())"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout == "set()\n"


@pytest.mark.usefixtures("as_a_process")
async def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: Capture, server: object) -> None:
    taken = str(getattr(server, "port", 0))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "noughts.app.cli", "serve", "--port", taken, "--data", str(tmp_path),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(WAIT_S):
        text, _ = await process.communicate()
    assert process.returncode == 2
    assert text.decode() == (
        f"noughts: cannot listen on 127.0.0.1:{taken}: Address already in use."
        " Choose another port with --port (make run PORT=8001).\n"
    )


@pytest.mark.usefixtures("as_a_process")
def test_a_data_directory_that_is_a_file_is_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").touch()
    status, text = noughts(capsys, "serve", "--port", "0", "--data", tmp_path / "file")
    assert status == 2
    assert text == (
        f"noughts: the data directory {tmp_path}/file cannot be used: File exists."
        " Choose another one with --data (make run DATA=...).\n"
    )


@pytest.mark.usefixtures("as_a_process")
def test_a_data_directory_has_one_server(tmp_path: Path, capsys: Capture, start_server: StartServer) -> None:
    running = start_server()
    status, text = noughts(capsys, "serve", "--port", "0", "--data", running.data)
    assert status == 2
    assert text.startswith(f"noughts: another server runs on {running.data}: stop it, or choose another directory")


@pytest.mark.usefixtures("as_a_process")
def test_a_secret_that_cannot_be_written_is_named(tmp_path: Path, capsys: Capture) -> None:
    """A directory in its way stands for a full disk."""
    (tmp_path / SECRET_FILE).mkdir()
    status, text = noughts(capsys, "serve", "--port", "0", "--data", tmp_path, "--workers", "1")
    assert status == 2
    assert text.startswith(f"noughts: the server cannot write to {tmp_path}: ")


# --- prove --------------------------------------------------------------------------------------------------------


def test_a_proof_shows_its_progress_once_a_second(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    now_s = 1_000.0

    def prove(variant: object, clock: object, show: object) -> Proof:
        nonlocal now_s
        assert callable(show)
        for done, total, at_s in ((1, 10, 0.1), (10, 82, 1.2), (82, 300, 1.9), (300, 5_478, 2.2)):
            now_s = 1_000.0 + at_s
            show(done, total)
        return Proof("classic", "All of it.", Verdict("win", 5, "exact"), 5_478, 2.2, "hash")

    monkeypatch.setattr(cli, "prove", prove)
    monkeypatch.setattr(cli, "time", SimpleNamespace(monotonic=lambda: now_s))
    assert cli.main(["prove", "classic"]) == 0
    output = capsys.readouterr()
    assert output.err == "  10 of 82 positions found so far\n  300 of 5,478 positions found so far\n"
    assert output.out == ("classic: win for X in 5 plies (exact)\nAll of it.\n5,478 positions, 2.2 s, table hash\n")


def test_a_proof_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    def prove(*arguments: object) -> Proof:
        raise NotProvedError("another table")

    monkeypatch.setattr(cli, "prove", prove)
    assert noughts(capsys, "prove", "classic") == (1, "noughts: not proved: another table\n")


# --- admin commands -----------------------------------------------------------------------------------------------


async def test_rooms_are_listed_and_closed(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path) as server:
        assert (await admin(capsys, server, "rooms"))[1].endswith("\n0 rooms\n")
        async with pair(server) as game:
            status, text = await admin(capsys, server, "rooms")
            assert status == 0
            head, row, total = text.splitlines()
            assert head.split() == ["room", "variant", "phase", "ply", "here", "unused", "players"]
            assert row.split()[:5] == [game.id, "classic", "playing", "0", "2"]
            assert row.endswith("  Ann, Ben")
            assert total == "1 rooms"
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
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        (tmp_path / SECRET_FILE).write_text(json.dumps({"url": url, "token": "x"}))
        result = await asyncio.to_thread(noughts, capsys, "rooms", "--data", tmp_path)
        assert result == (2, f"noughts: the server at {url} {message}\n")


async def test_a_node_that_was_killed_is_passed_over(tmp_path: Path, capsys: Capture) -> None:
    """Its file is still there, and newer than that of a node that runs."""
    async with local_server(tmp_path) as server:
        server.server.admin.write_secret(server.url)
        (tmp_path / "admin-1.json").write_text(json.dumps({"url": "http://127.0.0.1:1", "token": "x"}))
        status, text = await asyncio.to_thread(noughts, capsys, "nodes", "--data", tmp_path)
        assert (status, text.count("a file: every acknowledged change")) == (0, 1)


async def test_a_port_that_another_server_has_now_is_passed_over(tmp_path: Path, capsys: Capture) -> None:
    """A node was killed and left its file; a server with another data directory took its port."""
    async with local_server(tmp_path / "here") as server, local_server(tmp_path / "elsewhere") as other:
        data = tmp_path / "here"
        server.server.admin.write_secret(server.url)
        (data / "admin-1.json").write_text(json.dumps({"url": other.url, "token": "x"}))
        status, text = await asyncio.to_thread(noughts, capsys, "nodes", "--data", data)
        assert (status, text.count("a file: every acknowledged change")) == (0, 1)
        server.server.admin.remove_secret()
        status, text = await asyncio.to_thread(noughts, capsys, "nodes", "--data", data)
        assert (status, "Only the operator" in text) == (2, True)


def test_a_closed_pipe_ends_a_command_quietly(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """As in ``noughts rooms | head -1``."""

    def fails() -> str:
        raise BrokenPipeError

    monkeypatch.setattr("noughts.app.runtime.config.markdown", fails)
    assert noughts(capsys, "settings") == (1, "")
