"""``noughts health``: its exit status and its one line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from noughts.app.commands.health_command import main
from noughts.command_line import UsageError
from tests.support.flaky_store import FlakyStore
from tests.support.local_server import local_server
from tests.support.one_answer import answering
from tests.support.ports import free_port

Capture = pytest.CaptureFixture[str]

pytestmark = pytest.mark.usefixtures("no_settings")


async def test_a_server_that_can_store_a_move_is_ready(tmp_path: Path, capsys: Capture) -> None:
    async with local_server(tmp_path, base_path="/games") as server:
        assert await asyncio.to_thread(main, ["health", "--url", server.url]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "ready"  # a busy machine may stand still before


async def test_the_settings_of_the_server_name_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container, the server listens on all addresses."""
    async with local_server(tmp_path, base_path="/games") as server:
        monkeypatch.setenv("NOUGHTS_HOST", "0.0.0.0")
        monkeypatch.setenv("NOUGHTS_PORT", str(server.port))
        assert await asyncio.to_thread(main, ["health"]) == 1
        monkeypatch.setenv("NOUGHTS_BASE_PATH", "/games")
        assert await asyncio.to_thread(main, ["health"]) == 0


async def test_a_server_without_its_store_is_not_ready(tmp_path: Path, capsys: Capture) -> None:
    store = FlakyStore(tmp_path / "noughts.db")
    async with local_server(tmp_path, store) as server:
        store.down = True
        assert await asyncio.to_thread(main, ["health", "--url", server.url]) == 1
    *_log, line = capsys.readouterr().out.splitlines()
    assert line == "not ready: the store cannot be written"


def test_no_server_is_not_ready(capsys: Capture) -> None:
    assert main(["health", "--url", f"http://127.0.0.1:{free_port()}"]) == 1
    assert "does not answer: [Errno 111] Connection refused" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("head", "body", "line"),
    [
        ("200 OK", "<html>", "gives no answer of Noughts"),
        ("200 OK", "[]", "gives no answer of Noughts"),
        ("200 OK", '{"status":"ok"}', "is not a server of Noughts"),
        ("404 No", "not found", "status 404"),
        ("503 No", '{"status":"not ready"}', "status 503"),
    ],
)
async def test_another_answer_is_not_ready(head: str, body: str, line: str, capsys: Capture) -> None:
    async with answering(f"HTTP/1.0 {head}\r\n\r\n{body}".encode()) as url:
        assert await asyncio.to_thread(main, ["health", "--url", url]) == 1
    assert line in capsys.readouterr().out


def test_a_mistake_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="--url needs a URL"):
        main(["health", "--url", "nonsense"])
    monkeypatch.setenv("NOUGHTS_PORT", "x")
    with pytest.raises(UsageError, match="NOUGHTS_PORT must be a whole number"):
        main(["health"])
