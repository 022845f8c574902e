"""The file with the secret of the admin commands: who can read it, and what is read from a directory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from noughts.app.runtime.admin_secret import NODE_SECRET_FILES, SECRET_FILE, AdminSecret, read_secrets

URL = "http://127.0.0.1:8000"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_servers_account_can_read_the_secret(tmp_path: Path) -> None:
    secret, path = AdminSecret(tmp_path, "s3cret", shared=False), tmp_path / SECRET_FILE
    secret.write(URL)
    assert mode(path) == 0o600
    path.chmod(0o644)
    secret.write(URL)  # over what a killed server left behind
    assert mode(path) == 0o600
    assert read_secrets(tmp_path) == [(URL, "s3cret")]


def test_the_file_is_removed(tmp_path: Path) -> None:
    secret = AdminSecret(tmp_path, "s3cret", shared=False)
    secret.remove()  # a server that stops before it was ready has written none
    secret.write(URL)
    secret.remove()
    secret.remove()
    assert not list(tmp_path.iterdir())


def test_a_node_has_a_file_of_its_own(tmp_path: Path) -> None:
    """It is named for the port, and a node that stops removes no other's."""
    one, two = (AdminSecret(tmp_path, name, shared=True) for name in ("one", "two"))
    one.write("http://127.0.0.1:8001")
    two.write("http://127.0.0.1:8002")
    assert sorted(path.name for path in tmp_path.glob(NODE_SECRET_FILES)) == ["admin-8001.json", "admin-8002.json"]
    one.remove()
    assert read_secrets(tmp_path) == [("http://127.0.0.1:8002", "two")]


def test_the_newest_server_comes_first(tmp_path: Path) -> None:
    for number, port in enumerate((8003, 8001, 8002)):
        AdminSecret(tmp_path, str(port), shared=True).write(f"http://127.0.0.1:{port}")
        os.utime(tmp_path / f"admin-{port}.json", (number, number))
    assert [secret for _, secret in read_secrets(tmp_path)] == ["8002", "8001", "8003"]


def test_the_secret_is_compared_whole(tmp_path: Path) -> None:
    secret = AdminSecret(tmp_path, "s3cret", shared=False)
    assert secret.is_that_of("s3cret")
    for token in (None, "", "s3cre", "s3cretx", "S3CRET", "ä", "\ud800"):
        assert not secret.is_that_of(token)


@pytest.mark.parametrize("content", ["", "nonsense", "[]", '{"url":"http://127.0.0.1:1"}'])
def test_a_broken_file_is_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / SECRET_FILE).write_text(content)
    assert not read_secrets(tmp_path)
