"""``noughts bot`` as it is typed: a bot plays, and mistakes are one line."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from noughts.bots.bot_command import report
from noughts.bots.bot_player import BotPlayer
from noughts.client import connect
from noughts.command_line import main
from tests.support.player import WAIT_S
from tests.support.server import RunningServer

BOT = "async def choose(view):\n    return view.game.legal[0]\n"


async def test_a_bot_opens_a_room_until_it_is_interrupted(server: RunningServer, tmp_path: Path) -> None:
    path = tmp_path / "some_bot.py"
    path.write_text(BOT)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "noughts", "bot", str(path), "--server", server.url, "--name", "Rosa"),
        *("--variant", "4x4", "--variant", "classic"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(WAIT_S), connect(server.url) as me:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or "waits for an opponent" not in lines[-1]:
            lines.append((await process.stdout.readline()).decode())
            assert lines[-1], (await process.communicate())[1]
        link = lines[-1].split()[-1]
        async with await me.join(link) as room:
            await room.sit()
            async for view in room:
                assert view.game is not None
                if "move" in room.you.can:
                    await room.move(view.game.legal[0])
                if view.phase == "finished":
                    break
        process.send_signal(signal.SIGINT)
        _, err = await process.communicate()
    assert "Rosa plays on" in lines[0]
    assert lines[-1].endswith(f"{room.id} waits for an opponent at {server.url}/r/{room.id}\n")
    assert (process.returncode, err.decode()) == (130, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.py",), "there is no file none.py: name a Python file with a function choose(view)."),
        (("{bot}", "--server", "http://127.0.0.1:1"), "No server can be reached at http://127.0.0.1:1: "),
        (("{bot}", "--server", "nonsense"), "'nonsense' is no URL of a server: name one such as"),
        (("{bot}", "--variant", "chess"), "there is no variant 'chess': choose one of classic"),
        (("{bot}", "--seconds", "nan"), "--rooms and --seconds must be more than 0."),
        (("{bot}", "--clock", "2.9"), "--clock must be at least 3 and at most 86400 seconds."),
        (("{bot}", "--clock", "86401"), "--clock must be at least 3 and at most 86400 seconds."),
        (("{bot}", "--clock", "inf"), "--clock must be at least 3 and at most 86400 seconds."),
        (("{bot}", "--rooms", "0"), "--rooms and --seconds must be more than 0."),
        (
            ("{bot}", "--server", "{url}", "--token-file", "{token}"),
            "the server does not know the token in {token}: delete the file",
        ),
        (("{bot}", "--server", "{url}", "--token-file", "{folder}"), "cannot be read: Is a directory. Name another"),
        (("{bot}", "--server", "{url}", "--against", "wizard"), "The engine plays Tic-tac-toe at: novice"),
        (("{bot}", "--server", "{url}", "--name", "x" * 25), "24"),
    ],
)
def test_mistakes_are_one_line(
    server: RunningServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "some_bot.py").write_text(BOT)
    (tmp_path / "token").write_text("unknown")
    values = {"bot": tmp_path / "some_bot.py", "url": server.url, "token": tmp_path / "token", "folder": tmp_path}
    assert main(["bot", *[argument.format(**values) for argument in arguments]]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("noughts: ")
    assert message.format(**values) in err
    assert err.count("\n") == 1, err


def test_a_failure_of_a_bot_is_reported_with_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    """The line goes to standard output, the traceback to standard error."""
    report("a-room", "it failed.", "Traceback\n")
    report("", "Rosa\x1b[2J\n plays on http://127.0.0.1:8000", "x\x1b\n")
    out, err = capsys.readouterr()
    assert [line[9:] for line in out.splitlines()] == [
        "a-room it failed.",
        "Rosa\ufffd[2J  plays on http://127.0.0.1:8000",
    ]
    assert err == "Traceback\nx\ufffd\n"


def test_a_fault_of_the_program_is_no_mistake_of_the_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised whole, whichever of the bot's rooms it comes from."""
    path = tmp_path / "some_bot.py"
    path.write_text(BOT)

    async def run(player: BotPlayer) -> None:
        raise ExceptionGroup("rooms", [ZeroDivisionError()])

    monkeypatch.setattr(BotPlayer, "run", run)
    with pytest.raises(ExceptionGroup) as group:
        main(["bot", str(path)])
    assert group.group_contains(ZeroDivisionError)
