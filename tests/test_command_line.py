"""The table of commands, the way to their modules, and what a mistake prints."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from noughts import __version__, command_line
from noughts.command_line import COMMANDS, INTERRUPTED, UsageError, choice, command_parser, main

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str]:
    """Run a command. Return its exit status and everything that it printed."""
    try:
        status = main(arguments)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 1
    return status, "".join(capsys.readouterr())


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Return the module that carries out every command. A test sets its ``main``."""
    stand_in = SimpleNamespace(main=lambda arguments: 0)
    monkeypatch.setattr(command_line, "importlib", SimpleNamespace(import_module=lambda name: stand_in))
    return stand_in


def test_help_lists_every_command(capsys: Capture) -> None:
    status, text = run(capsys, "--help")
    assert status == 0
    for name, command in COMMANDS.items():
        assert f" {name} " in text
        assert command.help.split(",")[0].split(":")[0] in " ".join(text.split())


def test_a_command_says_what_it_does() -> None:
    """It says the same as the list of all commands, and perhaps more."""
    text = command_parser("check", "Nothing is written to it.").format_help()
    assert text.startswith("usage: noughts check [-h]\n\nRead the whole data file and say what is damaged. Nothing is ")
    assert "\nStart a server: page, HTTP and WebSocket on one port.\n" in command_parser("serve").format_help()


def test_a_key_chooses_one() -> None:
    assert choice("variant", "misere", {"classic": 1, "misere": 2}) == 2
    with pytest.raises(UsageError, match=r"^there is no variant 'chess': choose one of classic, misere\.$"):
        choice("variant", "chess", {"classic": 1, "misere": 2})


def test_the_version(capsys: Capture) -> None:
    assert run(capsys, "--version") == (0, f"noughts {__version__}\n")


def test_no_command_lists_every_command(capsys: Capture) -> None:
    assert run(capsys) == (2, run(capsys, "--help")[1])


@pytest.mark.parametrize("arguments", [("nonsense",), ("--vers",), ("nonsense", "serve")])
def test_an_unknown_command_is_a_mistake(capsys: Capture, arguments: tuple[str, ...]) -> None:
    status, text = run(capsys, *arguments)
    assert status == 2
    assert text.startswith("noughts: ")
    assert text.endswith(". `noughts --help` lists what it accepts.\n")
    assert text.count("\n") == 1


def test_a_misspelt_command_gets_the_nearest_one(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        main(["serv"])
    assert "there is no command 'serv': the nearest is `serve`" in capsys.readouterr().err


def test_an_unknown_flag_is_one_line(capsys: Capture) -> None:
    line = "noughts serve: unrecognized arguments: --nonsense. `noughts serve --help` lists what it accepts.\n"
    assert run(capsys, "serve", "--nonsense") == (2, line)


def test_a_command_gets_its_arguments(capsys: Capture, module: SimpleNamespace) -> None:
    def command(arguments: Sequence[str]) -> int:
        assert list(arguments) == ["rooms", "--data", "x"]
        return 7

    module.main = command
    assert run(capsys, "rooms", "--data", "x") == (7, "")


def test_a_mistake_is_one_line(capsys: Capture, module: SimpleNamespace) -> None:
    def command(arguments: Sequence[str]) -> int:
        raise UsageError("there is no such file: name another one.")

    module.main = command
    assert run(capsys, "rooms") == (2, "noughts: there is no such file: name another one.\n")


def test_a_file_of_another_account_is_one_line(capsys: Capture, module: SimpleNamespace) -> None:
    def open_it(arguments: Sequence[str]) -> int:
        raise PermissionError(13, "Permission denied", "data/noughts.db")

    module.main = open_it
    status, printed = run(capsys, "check")
    assert status == 2
    assert printed.startswith("noughts: data/noughts.db cannot be used: Permission denied.")
    assert "chown" in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(("fault", "status"), [(BrokenPipeError, 1), (KeyboardInterrupt, INTERRUPTED)])
def test_an_interrupted_command_is_silent(
    capsys: Capture, module: SimpleNamespace, fault: type[BaseException], status: int
) -> None:
    def command(arguments: Sequence[str]) -> int:
        raise fault

    module.main = command
    assert run(capsys, "rooms") == (status, "")


def test_arguments_come_from_the_command_line(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["noughts", "--version"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().out == f"noughts {__version__}\n"


def test_a_command_imports_no_module_of_another() -> None:
    """The table loads neither the server nor its libraries."""
    code = "import noughts.command_line, sys; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"aiohttp", "websockets", "msgspec", "noughts.app"} & set(modules)
