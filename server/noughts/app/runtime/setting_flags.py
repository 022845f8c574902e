"""The flags of the settings. A setting has the same flag, variable and description in every command that reads it."""

from __future__ import annotations

import argparse
import os

from noughts.app.runtime.config import SETTINGS, Config, load
from noughts.app.runtime.setting_values import SettingError
from noughts.command_line import UsageError


def add_setting_flags(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the flags of the settings with these names; of all settings if no name is given."""
    for setting in SETTINGS:
        if setting.name in names or not names:
            default = setting.default or "empty"
            parser.add_argument(
                setting.flag,
                dest=setting.name,
                metavar="VALUE",
                help=f"{setting.help} ({setting.variable}; {default})".replace("%", "%%"),
            )


def given_flags(parsed: argparse.Namespace) -> dict[str, str]:
    """Return the text of each flag that was given, by the name of its setting."""
    texts = vars(parsed)
    return {setting.name: texts[setting.name] for setting in SETTINGS if texts.get(setting.name) is not None}


def settings_of(parsed: argparse.Namespace) -> Config:
    """Return the settings from flags and variables. Raise :class:`UsageError`."""
    try:
        config, _ = load(given_flags(parsed), os.environ)
    except SettingError as error:
        raise UsageError(str(error)) from None
    return config
