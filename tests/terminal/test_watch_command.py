"""``noughts watch LINK`` through a pipe."""

from __future__ import annotations

from tests.support.rooms_over_http import new_room
from tests.support.server import RunningServer
from tests.support.terminal import run


def test_a_spectator_sees_the_room(server: RunningServer) -> None:
    process = run("watch", f"{server.url}/r/{new_room(server)}", lines=["who", "say hi"])
    assert (process.returncode, process.stderr) == (0, "")
    assert "the engine (skilled)" in process.stdout
    assert "To take part, enter with --name." in process.stdout
    assert process.stdout.endswith("Goodbye.\n")


def test_a_spectator_with_a_name_may_chat(server: RunningServer) -> None:
    process = run("watch", f"{server.url}/r/{new_room(server)}", "--name", "Cy", "--plain", lines=["say hi"])
    assert process.returncode == 0, process.stderr
    assert "Cy: hi" in process.stdout


def test_a_link_is_needed() -> None:
    process = run("watch")
    assert process.returncode == 2
    assert "LINK" in process.stderr
