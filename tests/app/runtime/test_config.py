"""Settings: their table, and where their values come from."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from noughts.app.runtime.config import SETTINGS, Config, load, markdown
from noughts.app.runtime.setting_values import SettingError

HOUR_MS = 3_600_000


# --- the table ----------------------------------------------------------------------------------------------------


def test_every_field_is_a_setting_with_flag_and_variable() -> None:
    assert [setting.name for setting in SETTINGS] == [field.name for field in fields(Config)]
    for row in SETTINGS:
        assert row.flag == "--" + row.name.replace("_", "-")
        assert row.variable == "NOUGHTS_" + row.name.upper()


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_a_default_typed_as_text_gives_the_default(row: Any) -> None:
    config, _ = load({row.name: row.default}, {})
    assert config == Config()


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_descriptions_are_sentences(row: Any) -> None:
    assert row.help[0].isupper()
    assert row.help.endswith(".")
    assert "|" not in row.help  # it stands in a table


def test_the_page_of_settings_has_a_row_for_each() -> None:
    rows = [line for line in markdown().splitlines() if line.startswith("| `--")]
    assert len(rows) == len(SETTINGS)
    assert rows[1] == "| `--port` | `NOUGHTS_PORT` | `8000` | Port to listen on. 0 picks a free port. |"
    assert any(row.startswith("| `--public-url` | `NOUGHTS_PUBLIC_URL` | empty | ") for row in rows)
    assert any(row.startswith("| `--open-metrics` | `NOUGHTS_OPEN_METRICS` | `off` | ") for row in rows)


# --- where values come from ---------------------------------------------------------------------------------------


def test_a_flag_overrides_its_variable() -> None:
    config, warnings = load({"port": "1"}, {"NOUGHTS_PORT": "2", "NOUGHTS_WORKERS": "3"})
    assert (config.port, config.workers, config.think_ms) == (1, 3, 1_000)
    assert warnings == ()


def test_an_empty_variable_is_no_value_but_an_empty_flag_is() -> None:
    """A variable may be listed with nothing behind it. A flag without a value was typed by mistake."""
    assert load({}, {"NOUGHTS_GRACE_MS": "", "NOUGHTS_PORT": ""})[0] == Config()
    with pytest.raises(SettingError, match=r"^--port must be a whole number, not ''\.$"):
        load({"port": ""}, {})


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


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Config().port = 1  # type: ignore[misc]


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
