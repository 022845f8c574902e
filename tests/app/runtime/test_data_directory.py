"""The data directory: one server at a time, and nothing for other accounts of the machine."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import structlog

from noughts.app.runtime.data_directory import DATABASE, close_to_others, only_server, private_files
from noughts.command_line import UsageError


def mode_of(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def test_new_files_are_for_this_account_alone(tmp_path: Path) -> None:
    """For as long as a server runs; what is made after it is as before."""
    before = os.umask(0o022)
    try:
        with private_files(), only_server(tmp_path / "parent" / "data"):
            (tmp_path / "parent" / "data" / DATABASE).touch()
        (tmp_path / "later").touch()
    finally:
        os.umask(before)
    data = tmp_path / "parent" / "data"
    modes = [mode_of(path) for path in (data, data / "lock", data / DATABASE, tmp_path / "later")]
    assert modes == ["0o700", "0o600", "0o600", "0o644"]


def test_the_files_of_an_earlier_release_are_closed_to_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    names = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}.0.1.0", "admin.json", "lock")
    for name in names:
        (data / name).touch()
        (data / name).chmod(0o644)
    data.chmod(0o755)
    with structlog.testing.capture_logs() as lines, only_server(data):
        assert mode_of(data) == "0o700"
        assert {mode_of(data / name) for name in names} == {"0o600"}
    assert lines == []


def test_a_directory_with_other_files_is_left_open(tmp_path: Path) -> None:
    """It may be a home directory, or one for temporary files. The server's own files in it are closed."""
    tmp_path.chmod(0o755)
    for name in (DATABASE, "diary.txt"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    with structlog.testing.capture_logs() as lines:
        close_to_others(tmp_path)
    assert [mode_of(path) for path in (tmp_path, tmp_path / DATABASE, tmp_path / "diary.txt")] == [
        "0o755",
        "0o600",
        "0o644",
    ]
    assert ["use a directory of its own" in line["event"] for line in lines] == [True]


def test_what_cannot_be_closed_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems keep no modes. The server serves all the same."""
    (tmp_path / DATABASE).touch()
    (tmp_path / DATABASE).chmod(0o644)

    def chmod(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", chmod)
    with structlog.testing.capture_logs() as lines:
        close_to_others(tmp_path)
    assert [line["reason"] for line in lines] == ["Operation not permitted"]


def test_a_directory_has_one_server(tmp_path: Path) -> None:
    with only_server(tmp_path), pytest.raises(UsageError, match="another server runs"), only_server(tmp_path):
        pass
    with only_server(tmp_path):
        pass


def test_the_target_of_a_link_is_left_alone(tmp_path: Path) -> None:
    """Another account may have put a link in the place of the lock."""
    diary = tmp_path / "diary"
    diary.write_text("dear diary")
    data = tmp_path / "data"
    data.mkdir()
    (data / "lock").symlink_to(diary)
    with pytest.raises(UsageError, match="cannot be used"), only_server(data):
        pass
    assert diary.read_text() == "dear diary"


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"cannot be used: .*\. Choose another"), only_server(tmp_path / "file"):
        pass
