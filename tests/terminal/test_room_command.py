"""``noughts play LINK`` through a pipe and in a terminal, and the mistakes that a link can have."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from noughts.client import connect
from noughts.command_line import UsageError
from noughts.errors import Rejection
from noughts.terminal.play_command import main
from noughts.terminal.room_game import RoomGame
from tests.support.rooms_over_http import new_room, post
from tests.support.server import RunningServer
from tests.support.terminal import CTRL_C, ENTER, run
from tests.terminal.conftest import Open


def engine_room(server: RunningServer) -> tuple[str, str]:
    """Return the link of a room against the engine, and the token of its player X."""
    token = post(server, "/api/players", {"name": "Ann"})["token"]
    body = {"variant": "classic", "opponent": "engine", "level": "novice", "mark": "X"}
    return post(server, "/api/rooms", body, token)["url"], token


def test_a_token_file_gives_the_seat_back(server: RunningServer, tmp_path: Path) -> None:
    link, token = engine_room(server)
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    process = run("play", link, "--token-file", str(file), lines=["b2", "quit"], columns=40)
    assert (process.returncode, process.stderr) == (0, "")
    assert "Ann (X) plays b2." in process.stdout
    assert process.stdout.endswith("Goodbye. Your seat stays yours for now.\n")
    assert max(map(len, process.stdout.splitlines())) <= 40


def test_a_token_goes_to_no_other_server(server: RunningServer, tmp_path: Path) -> None:
    link, token = engine_room(server)
    file = tmp_path / "token"
    file.write_text(f"{token}\nhttp://127.0.0.1:1\n")
    process = run("play", link, "--token-file", str(file), lines=["quit"])
    assert (process.returncode, process.stdout) == (2, "")
    assert "is for the server http://127.0.0.1:1, not for" in process.stderr
    file.write_text(f"{token}\n")
    assert run("play", link, "--token-file", str(file), lines=["quit"]).returncode == 0
    assert file.read_text() == f"{token}\n{server.url}\n"


def test_a_new_player_is_kept_in_the_token_file(server: RunningServer, tmp_path: Path) -> None:
    link, _ = engine_room(server)
    file = tmp_path / "token"
    for _ in range(2):
        process = run("play", link, "--name", "Ben", "--token-file", str(file), lines=["say hello"])
        assert process.returncode == 0, process.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    assert process.stdout.count("Ben: hello") >= 1


@pytest.mark.parametrize("typed", ["", "b2" + ENTER], ids=["a key", "a signal"])
def test_ctrl_c_leaves_a_room(server: RunningServer, open_terminal: Open, typed: str) -> None:
    """It may be typed at the question, or become a signal while an answer is taken. The exit status is the same."""
    terminal = open_terminal("watch", engine_room(server)[0])
    terminal.until("Watching:")
    if typed:
        terminal.type_and_interrupt(typed)
    else:
        terminal.type(CTRL_C)
    terminal.until("Goodbye.")
    assert terminal.end() == 130


def test_a_room_in_a_terminal(server: RunningServer, open_terminal: Open, tmp_path: Path) -> None:
    link, token = engine_room(server)
    (tmp_path / "token").write_text(token)
    terminal = open_terminal("play", link, "--token-file", str(tmp_path / "token"), columns=40)
    terminal.until("Your move (X):")
    terminal.type("b2" + ENTER)
    terminal.until("Ann (X) plays b2.")
    terminal.until("Otto (novice) (O) plays")
    terminal.type(CTRL_C)
    terminal.until("Goodbye.")
    assert terminal.end() == 130


def test_a_room_that_is_closed_ends_the_command(server: RunningServer, open_terminal: Open) -> None:
    link, token = engine_room(server)
    terminal = open_terminal("watch", link)

    async def close() -> None:
        async with connect(server.url, token=token) as client, await client.join(link) as room:
            await room.close()

    terminal.until("Watching:")
    asyncio.run(close())
    terminal.until("The room was closed. Goodbye.")
    assert terminal.end() == 0


def test_ctrl_c_in_a_pipe_leaves_a_room(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a signal there, which Python raises wherever the program is."""
    link, _ = engine_room(server)

    async def interrupted(game: RoomGame, *, sits: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RoomGame, "run", interrupted)
    with Path(os.devnull).open() as empty:
        monkeypatch.setattr("sys.stdin", empty)
        assert main(["play", link]) == 130
    assert capsys.readouterr().out == "\nGoodbye.\n"


@pytest.fixture
def rejected(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Return a function that runs ``noughts play`` in this process, and returns the line that it ends with."""
    with Path(os.devnull).open() as empty:
        monkeypatch.setattr("sys.stdin", empty)

        def run_play(*arguments: str) -> str:
            with pytest.raises(UsageError) as error:
                main(["play", *arguments])
            return str(error.value)

        yield run_play


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("http://127.0.0.1:9/r/abcdefgh", "No server can be reached at http://127.0.0.1:9"),
        ("{server}/r/AAAAAAAAAAAAAAAA", "The room does not exist or has expired"),
        ("AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAA is not a whole link"),
        ("https://example.org/x", "'https://example.org/x' is no link of a room"),
        ("{link} --token-file {folder}/token", "the server does not know the token in {folder}/token: delete the file"),
        ("{link} --token-file {folder}", "The token file {folder} cannot be read"),
        ("{link} --token-file {folder}/no/token", "The token file"),
        ("{link} --name \u200b", "A name"),
        ("{link} --level novice", "the room decides what is played"),
        ("--mine", "--mine needs the URL of a server"),
        ("{server} --mine --token-file {folder}/token", "the server does not know the token in {folder}/token"),
        ("{server} --mine --token-file {folder}/new", "the token file {folder}/new is new"),
    ],
)
def test_mistakes_are_one_line(
    server: RunningServer, rejected: Callable[..., str], tmp_path: Path, arguments: str, words: str
) -> None:
    (tmp_path / "token").write_text("unknown")
    values = {"server": server.url, "link": engine_room(server)[0], "folder": tmp_path}
    line = rejected(*arguments.format(**values).split())
    assert line.startswith(words.format(**values))
    assert "\n" not in line


def test_a_game_of_a_newer_server_asks_for_an_update(
    server: RunningServer, rejected: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    link, _ = engine_room(server)

    async def run_game(game: RoomGame, *, sits: bool) -> None:
        raise Rejection("bad_message", "There is no variant chess.")

    monkeypatch.setattr(RoomGame, "run", run_game)
    assert rejected(link) == "There is no variant chess. Update this program."


def test_your_rooms_are_listed(server: RunningServer, tmp_path: Path) -> None:
    link, token = engine_room(server)
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    for address in (server.url, link):
        process = run("play", address, "--mine", "--token-file", str(file))
        assert (process.returncode, process.stderr) == (0, "")
        watch_link = link.split("#")[0]
        assert process.stdout == f"Your turn (X), Tic-tac-toe against Otto (novice)\n  {watch_link}\n"


def test_a_spectator_sees_the_room(server: RunningServer) -> None:
    process = run("watch", f"{server.url}/r/{new_room(server)}", lines=["who", "say hi"])
    assert (process.returncode, process.stderr) == (0, "")
    assert "Otto (skilled)" in process.stdout
    assert "To take part, enter with --name." in process.stdout
    assert process.stdout.endswith("Goodbye.\n")
