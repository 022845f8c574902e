"""``noughts serve``: it serves until a signal, and a server that cannot start says what to do."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest
from aiohttp import http_parser

from noughts.app.commands import serve_command
from noughts.app.runtime.admin_secret import SECRET_FILE, read_secrets
from noughts.app.runtime.data_directory import DATABASE
from noughts.app.runtime.logs import LogWriter
from tests.support.cli_runs import Capture, noughts
from tests.support.player import WAIT_S
from tests.support.redis_server import redis_farm

pytestmark = pytest.mark.usefixtures("as_a_process")


@pytest.fixture
def as_a_process(monkeypatch: pytest.MonkeyPatch, no_settings: None) -> Iterator[None]:
    """Give ``serve`` an environment without settings, keep the logs as they are, and undo what it does to the process."""
    monkeypatch.setattr(serve_command, "set_up_logs", lambda *arguments: None)
    threshold = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)


def serve(
    capsys: Capture,
    data: Path,
    *arguments: str,
    signal_number: int = signal.SIGTERM,
    ready: Callable[[], object] | None = None,
) -> tuple[int, str]:
    """Serve until the server is ready, then send this process a signal. Return exit status and output.

    The server is ready once it has written its secret, or once ``ready`` says so.
    """
    ended = threading.Event()

    def stop_once_ready() -> None:
        while not ended.wait(0.02):
            if read_secrets(data) if ready is None else ready():
                os.kill(os.getpid(), signal_number)
                return

    thread = threading.Thread(target=stop_once_ready)
    thread.start()
    try:
        return noughts(capsys, "serve", "--port", "0", "--data", data, "--workers", "1", *arguments)
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_serve_serves_until_a_signal(
    tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch, signal_number: int
) -> None:
    monkeypatch.setenv("NOUGHTS_NONSENSE", "1")
    data = tmp_path / "new" / "data"
    status, text = serve(capfd, data, "--host", "0.0.0.0", signal_number=signal_number)
    assert status == 0
    assert "Noughts is ready: open http://127.0.0.1:" in text
    assert "There is no setting NOUGHTS_NONSENSE: the server ignores it." in text
    assert "stopping" in text
    assert (data / DATABASE).is_file()
    assert not (data / SECRET_FILE).exists()
    assert {path.stat().st_mode & 0o077 for path in (data, *data.iterdir())} == {0}


def test_the_ready_line_is_one_write(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log may go to the same pipe, and come between two writes."""
    writes: list[str] = []
    monkeypatch.setattr(LogWriter, "write", lambda writer, text: writes.append(text))
    assert serve(capsys, tmp_path / "data")[0] == 0
    (line,) = [text for text in writes if text.startswith("Noughts is ready")]
    assert line.endswith("\n")


def test_nohup_keeps_a_server(tmp_path: Path, capsys: Capture) -> None:
    """It ignores SIGHUP for the server, which then serves on when the terminal ends."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert serve(capsys, tmp_path / "data")[0] == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_store_may_be_a_file_elsewhere(tmp_path: Path, capfd: Capture) -> None:
    store = tmp_path / "elsewhere.db"
    arguments = ("--store", f"sqlite:{store}", "--public-url", "https://games.example.org")
    status, text = serve(capfd, tmp_path / "data", *arguments)
    assert status == 0
    assert "Noughts is ready: open https://games.example.org\n" in text
    assert store.is_file()
    assert not (tmp_path / "data" / DATABASE).exists()


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


@pytest.mark.parametrize("command", ["serve_command", "store_command"])
def test_a_file_needs_no_client_of_redis(command: str) -> None:
    """Importing it takes a quarter of a second."""
    code = f"import sys, noughts.app.commands.{command}; sys.exit(bool({{'redis', 'hiredis'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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


def test_a_node_needs_no_directory_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    """It serves without admin commands where it cannot write. A file in the way stands for a read-only directory."""
    data = tmp_path / "data"
    data.touch()
    with redis_farm(tmp_path / "redis") as farm:
        redis = farm.server(appendonly="no")
        ready = partial(redis.command, "HLEN", "{noughts}:nodes")
        status, text = serve(capsys, data, "--store", redis.url, ready=lambda: int(ready()))
        assert status == 0, text
        assert "admin commands cannot use this node" in text


def test_a_node_is_not_ready_before_its_store(tmp_path: Path, capfd: Capture) -> None:
    """It says what it waits for, and stops at once when it is told to."""
    secrets = tmp_path / "data"
    flags = ("--store", "redis://127.0.0.1:1")
    status, text = serve(capfd, secrets, *flags, ready=lambda: int(any(secrets.glob("admin*"))))
    assert status == 0, text
    assert re.search(r"Noughts waits for its store at \S+: redis://127.0.0.1:1: Connection refused\n", text)
    assert "is ready" not in text


def failed_trial() -> nullcontext[Callable[[], str]]:
    """Return a trial on a machine where the compiled programs do not run."""
    return nullcontext(lambda: "wasmtime cannot run programs here (no right to make code)")


def test_without_the_programs_a_node_of_a_shared_store_does_not_start(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server on a file starts: its engine then plays some games without a search."""
    monkeypatch.setattr(serve_command, "program_trial", failed_trial)
    status, text = noughts(capsys, "serve", "--port", "0", "--data", str(tmp_path), "--store", "redis://127.0.0.1:1")
    assert status == 2
    assert "cannot run the engine's searches: wasmtime cannot run programs here" in text
    assert "Install wasmtime" in text
    status, text = serve(capsys, tmp_path)
    assert status == 0, text


def test_a_parser_in_python_is_warned_about(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    parser = http_parser.HttpRequestParserPy
    monkeypatch.setattr(http_parser, "HttpRequestParser", parser)
    status, text = serve(capsys, tmp_path)
    assert status == 0
    assert "aiohttp parses HTTP in Python" in text


async def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: Capture, server: object) -> None:
    """Nothing else is written. Under python -X dev, asyncio would also log each step that takes more than 0.1 s."""
    taken = str(getattr(server, "port", 0))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "noughts", "serve", "--port", taken, "--data", str(tmp_path),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, env={**os.environ, "PYTHONDEVMODE": ""},
    )  # fmt: skip
    async with asyncio.timeout(WAIT_S):
        text, _ = await process.communicate()
    assert process.returncode == 2
    assert text.decode() == (
        f"noughts: cannot listen on 127.0.0.1:{taken}: Address already in use."
        " Choose another port with --port (make run PORT=8001).\n"
    )


def test_a_secret_that_cannot_be_written_is_named(tmp_path: Path, capsys: Capture) -> None:
    """A directory in its way stands for a full disk."""
    (tmp_path / SECRET_FILE).mkdir()
    status, text = noughts(capsys, "serve", "--port", "0", "--data", tmp_path, "--workers", "1")
    assert status == 2
    assert text.startswith(f"noughts: the server cannot write to {tmp_path}: ")
