"""A data directory on a share: the lock was refused by the file system, and the server said that another one ran."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from noughts.app.runtime import data_directory
from noughts.app.runtime.data_directory import file_system_of, only_server
from noughts.command_line import UsageError


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL])
def test_a_file_system_without_locks_is_not_another_server(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(UsageError, match="cannot lock files"), only_server(tmp_path):
        pass


def test_another_server_is_named_as_ever(tmp_path: Path) -> None:
    with only_server(tmp_path), pytest.raises(UsageError, match="another server runs"), only_server(tmp_path):
        pass


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_a_network_file_system_is_refused_unless_the_operator_insists(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two servers whose locks did not reach each other lost moves without a word."""
    monkeypatch.setattr(data_directory, "file_system_of", lambda path: kind)
    with pytest.raises(UsageError, match=f"{kind}.*--any-file-system"), only_server(tmp_path):
        pass
    with only_server(tmp_path, any_file_system=True):
        pass


def test_the_type_is_read_from_the_list_of_mounts(tmp_path: Path) -> None:
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mountinfo"
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts.write_text(f"1 0 0:99 / / rw - ext4 /dev/a rw\n2 1 {number} / /srv rw shared:3 - nfs4 host:/srv rw\n")
    assert file_system_of(tmp_path, mounts) == "nfs4"
    assert file_system_of(tmp_path, tmp_path / "none") == ""
