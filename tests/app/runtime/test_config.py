"""The table of settings, where their values come from, and their flags."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from noughts.app.runtime import config as config_module
from noughts.app.runtime.config import (
    SETTINGS,
    Config,
    Setting,
    add_setting_flags,
    given_flags,
    load,
    markdown,
    settings_of,
)
from noughts.app.runtime.setting_values import SettingError
from noughts.command_line import Parser, UsageError
from tests.support.cli_runs import Capture, noughts

HOUR_MS = 3_600_000


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_a_setting_has_names_a_default_and_a_sentence(row: Setting) -> None:
    """A default that is typed as text gives the default."""
    flag = "--" + row.name.replace("_", "-")
    assert row.flag == (None if row.name == "webhook_secret" else flag)
    assert row.variable == "NOUGHTS_" + row.name.upper()
    assert load({row.name: row.default}, {})[0] == Config()
    assert row.help[0].isupper()
    assert row.help.endswith(".")
    assert "|" not in row.help  # it stands in a table


def test_each_setting_is_read() -> None:
    """Somewhere in the server, or by a method of the settings. A field that nothing reads does nothing."""
    app = Path(config_module.__file__).parents[1]
    read: set[str] = set()
    for path in app.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute):
                owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
                own = owner == "self" and path == Path(config_module.__file__)
                if own or owner.strip("_") == "config":
                    read.add(node.attr)
    assert {field.name for field in fields(Config)} - read == set()


def test_the_command_prints_a_file_of_variables(capsys: Capture) -> None:
    """Every variable is commented out. With the comment signs removed, the file sets every default."""
    status, text = noughts(capsys, "settings")
    lines = text.splitlines()
    assert (status, {line[:1] for line in lines}) == (0, {"", "#"})
    assert "# Port to listen on. 0 picks a free port.\n#NOUGHTS_PORT=8000\n" in text
    variables = dict(line[1:].split("=", 1) for line in lines if line.startswith("#NOUGHTS_"))
    assert len(variables) == len(fields(Config))
    assert load({}, variables) == (Config(), ())


def test_the_page_has_a_row_for_each_setting(capsys: Capture) -> None:
    text = markdown()
    rows = [line for line in text.splitlines() if line.startswith(("| `--", "| none |"))]
    assert [row for row in rows if row.startswith("| none |")] == [row for row in rows if "WEBHOOK_SECRET" in row]
    assert len(rows) == len(fields(Config))
    assert rows[1] == "| `--port` | `NOUGHTS_PORT` | `8000` | Port to listen on. 0 picks a free port. |"
    assert any(row.startswith("| `--public-url` | `NOUGHTS_PUBLIC_URL` | empty | ") for row in rows)
    assert any(row.startswith("| `--open-metrics` | `NOUGHTS_OPEN_METRICS` | `off` | ") for row in rows)
    assert noughts(capsys, "settings", "port")[0] == 2


def test_a_flag_overrides_its_variable() -> None:
    config, warnings = load({"port": "1"}, {"NOUGHTS_PORT": "2", "NOUGHTS_WORKERS": "3"})
    assert (config, warnings) == (Config(port=1, workers=3), ())


def test_an_empty_variable_is_no_value_but_an_empty_flag_is() -> None:
    """A variable may be listed with nothing behind it. A flag without a value was typed by mistake."""
    assert load({}, {"NOUGHTS_GRACE_MS": "", "NOUGHTS_PORT": ""})[0] == Config()
    with pytest.raises(SettingError, match=r"^--port must be a whole number, not ''\.$"):
        load({"port": ""}, {})


def test_a_sign_on_that_cannot_work_is_warned_about() -> None:
    _, warnings = load({"name_header": "Remote-User"}, {})
    assert warnings == ("NOUGHTS_NAME_HEADER has no effect without NOUGHTS_TRUSTED: name the address of the proxy.",)
    _, warnings = load({"guests": "off"}, {})
    assert warnings == ("NOUGHTS_GUESTS=off without NOUGHTS_NAME_HEADER: nobody can sign on.",)
    assert load({"name_header": "Remote-User", "trusted": "::1", "guests": "watch"}, {})[1] == ()
    with pytest.raises(SettingError, match="must be the name of a header"):
        load({"name_header": "Remote User"}, {})


def test_unknown_variables_are_warned_about_and_ignored() -> None:
    config, warnings = load({}, {"NOUGHTS_NONSENSE": "1", "NOUGHTS_GRACE": "1", "HOME": "x", "noughts_port": "1"})
    assert config == Config()
    assert warnings == (
        "There is no setting NOUGHTS_GRACE: the server ignores it.",
        "There is no setting NOUGHTS_NONSENSE: the server ignores it.",
    )


def test_a_flag_has_no_password() -> None:
    """Everyone on the machine sees the flags of a process."""
    with pytest.raises(SettingError, match="--store-password-file or NOUGHTS_STORE") as error:
        load({"store": "redis://:s3cret@redis.example"}, {})
    assert "s3cret" not in str(error.value)
    load({"store": "redis://node@redis.example"}, {})


def test_the_policy_for_rooms_comes_from_the_settings() -> None:
    config = Config(
        grace_ms=1,
        engine_pace_ms=2,
        engines_pace_ms=3,
        waiting_hours=4,
        finished_hours=5,
        playing_hours=6,
        unjoined_minutes=7,
        chat=False,
    )
    policy = config.policy({"classic": ("novice", "perfect")})
    assert (policy.grace_ms, policy.engine_pace_ms, policy.engines_pace_ms) == (1, 2, 3)
    assert (policy.waiting_ms, policy.finished_ms, policy.playing_ms) == (4 * HOUR_MS, 5 * HOUR_MS, 6 * HOUR_MS)
    assert policy.unjoined_ms == 7 * 60_000
    assert (policy.chat, policy.levels["classic"]) == (False, ("novice", "perfect"))


# --- flags --------------------------------------------------------------------------------------------------------


def parser_of(*names: str) -> Parser:
    """Return a parser that accepts the flags of these settings."""
    parser = Parser(prog="noughts")
    add_setting_flags(parser, *names)
    return parser


def test_every_setting_but_a_secret_has_a_flag() -> None:
    """Every list of processes shows flags."""
    arguments = [word for setting in SETTINGS if setting.flag is not None for word in (setting.flag, "x")]
    names = {setting.name for setting in SETTINGS} - {"webhook_secret"}
    assert given_flags(parser_of().parse_args(arguments)) == dict.fromkeys(names, "x")


def test_a_secret_is_read_from_its_variable_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert load({}, {"NOUGHTS_WEBHOOK_SECRET": "s"})[0].webhook_secret == "s"
    with pytest.raises(SystemExit):
        parser_of().parse_args(["--webhook-secret", "s"])
    assert "--webhook-secret" in capsys.readouterr().err


def test_the_help_names_the_variable_and_the_default() -> None:
    text = " ".join(parser_of("port", "store").format_help().split())
    assert "--port VALUE Port to listen on. 0 picks a free port. (NOUGHTS_PORT; 8000)" in text
    assert "(NOUGHTS_STORE; empty)" in text
    assert "--host" not in text


@pytest.mark.usefixtures("no_settings")
def test_a_mistake_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOUGHTS_WORKERS", "3")
    assert settings_of(parser_of("port").parse_args(["--port", "1"])) == Config(port=1, workers=3)
    with pytest.raises(UsageError, match=r"^--port must be a whole number, not 'x'\.$"):
        settings_of(parser_of("port").parse_args(["--port", "x"]))
