"""The flags of the settings, for every command that reads some."""

from __future__ import annotations

import pytest

from noughts.app.runtime.config import SETTINGS, Config
from noughts.app.runtime.setting_flags import add_setting_flags, given_flags, settings_of
from noughts.command_line import Parser, UsageError


def parser_of(*names: str) -> Parser:
    """Return a parser that accepts the flags of these settings."""
    parser = Parser(prog="noughts")
    add_setting_flags(parser, *names)
    return parser


def test_every_setting_has_a_flag() -> None:
    arguments = [word for setting in SETTINGS for word in (setting.flag, "x")]
    assert given_flags(parser_of().parse_args(arguments)) == {setting.name: "x" for setting in SETTINGS}


def test_the_help_names_the_variable_and_the_default() -> None:
    text = " ".join(parser_of("port", "store").format_help().split())
    assert "--port VALUE Port to listen on. 0 picks a free port. (NOUGHTS_PORT; 8000)" in text
    assert "(NOUGHTS_STORE; empty)" in text
    assert "--host" not in text


@pytest.mark.usefixtures("no_settings")
def test_a_flag_overrides_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_PORT", "2")
    monkeypatch.setenv("NOUGHTS_WORKERS", "3")
    config = settings_of(parser_of("port").parse_args(["--port", "1"]))
    assert config == Config(port=1, workers=3)


@pytest.mark.usefixtures("no_settings")
def test_a_mistake_is_one_line() -> None:
    with pytest.raises(UsageError, match=r"^--port must be a whole number, not 'x'\.$"):
        settings_of(parser_of("port").parse_args(["--port", "x"]))
