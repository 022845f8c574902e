"""The warnings of workers are logged once."""

from __future__ import annotations

from structlog.testing import capture_logs

from noughts.app.search.warning_log import WarningLog


def test_a_warning_is_logged_once_however_many_workers_give_it() -> None:
    warnings = WarningLog()
    with capture_logs() as logs:
        for text in ("a damaged file", "a damaged file", "another file", "a damaged file"):
            warnings.report(text)
    assert [(entry["log_level"], entry["warning"]) for entry in logs] == [
        ("warning", "a damaged file"),
        ("warning", "another file"),
    ]
