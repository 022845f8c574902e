"""``noughts settings``: the page of all settings."""

from __future__ import annotations

from noughts.app.runtime.config import markdown
from tests.support.cli_runs import Capture, noughts


def test_settings_prints_the_page_of_settings(capsys: Capture) -> None:
    assert noughts(capsys, "settings") == (0, markdown())


def test_settings_takes_no_arguments(capsys: Capture) -> None:
    assert noughts(capsys, "settings", "port")[0] == 2
