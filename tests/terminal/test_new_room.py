"""``noughts play --server``: the rooms that it makes, and the mistakes that its options can have."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from noughts.client import connect
from noughts.protocol.messages import View
from tests.support.cli_runs import Capture, noughts
from tests.support.server import RunningServer
from tests.support.terminal import ENTER, run
from tests.terminal.conftest import Open


def test_two_terminals_play_in_a_new_room(server: RunningServer, open_terminal: Open) -> None:
    ann = open_terminal("play", "--server", server.url, "--variant", "gomoku", "--clock", "5+3", "--name", "Ann")
    ann.until("Send this link to your friend:")
    link = ann.until("X: Ann.").split()[0]
    ben = open_terminal("play", link, "--name", "Ben")
    ben.until("Waiting for X:")
    ann.until("Time for your first move: 0:")
    ann.type("h8" + ENTER)
    ben.until("Ann (X) plays h8.")


def test_options_make_the_room(server: RunningServer, tmp_path: Path) -> None:
    """The engine and the lobby need no friend, and the token file leads back to the room."""
    file = str(tmp_path / "token")
    options = ("--server", server.url, "--token-file", file, "--mark", "O")
    engine = run("play", *options, "--variant", "misere", "--level", "novice", lines=["quit"])
    assert "X: Otto (novice). O: " in engine.stdout
    fair = ("--first-to", "3", "--fair-start")
    process = run("play", *options, "--against", "anyone", "--clock", "3d", *fair, lines=["quit"], columns=40)
    assert (process.returncode, process.stderr) == (0, "")
    room_id = process.stdout.split("/r/")[1].split()[0]

    async def view() -> View:
        async with connect(server.url, guest=False) as client:
            return (await client.join(room_id)).view

    public = asyncio.run(view())
    assert (public.visibility, public.seats.X) == ("public", None)
    assert public.series is not None
    assert (public.series.first_to, public.swap) == (3, True)
    mine = run("play", "--server", server.url, "--mine", "--token-file", file).stdout
    assert room_id in mine
    assert "Misère" in mine


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--level novice --against friend", "--level is for the engine: leave it out"),
        ("--seconds 2", "the server's engine has its own time: leave out --seconds."),
        ("--variant chess", "There is no variant of that name."),
        ("--clock soon", "'soon' is no clock."),
        ("{server}/r/AAAAAAAAAAAAAAAA --fair-start", "the link names the server: leave out --server"),
        ("{server}/r/AAAAAAAAAAAAAAAA", "the link names the server: leave out --server"),
    ],
)
def test_mistakes_are_one_line(
    server: RunningServer, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: str, words: str
) -> None:
    with open(os.devnull, encoding="ascii") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        status, text = noughts(capsys, "play", "--server", server.url, *arguments.format(server=server.url).split())
    assert (status, text.count("\n")) == (2, 1)
    assert text.startswith(f"noughts: {words}")
