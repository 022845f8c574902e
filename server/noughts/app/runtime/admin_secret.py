"""The secret of the admin commands, which a server leaves in its data directory for the command line.

Only the account that runs the server can read the file, so a caller with the secret is the operator. Several nodes may have
one data directory: each has a file of its own, named for its port, and any of them carries out a command.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

SECRET_FILE: Final = "admin.json"
NODE_SECRET_FILES: Final = "admin-*.json"
"""The files of nodes that share a store. The star stands for a port: a killed node leaves one file."""


class Access(NamedTuple):
    """What a command needs to reach a server: its URL and its secret."""

    url: str
    secret: str


class AdminSecret:
    """The secret of one server, and its file. With ``shared``, other nodes may use the same directory."""

    def __init__(self, data: Path, secret: str, *, shared: bool) -> None:
        self._data = data
        self._secret = secret
        self._shared = shared
        self._path: Path | None = None

    def is_that_of(self, token: str | None) -> bool:
        """Return whether a request has the secret as its token. The comparison takes the same time for every token."""
        return hmac.compare_digest((token or "").encode("utf-8", "replace"), self._secret.encode())

    def write(self, url: str) -> None:
        """Write the server's URL and the secret into the data directory. Raise ``OSError``."""
        path = self._data / (NODE_SECRET_FILES.replace("*", str(urlsplit(url).port)) if self._shared else SECRET_FILE)
        self._path = path
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"url": url, "token": self._secret}, file)

    def remove(self) -> None:
        """Remove the file: the server is stopping, whether or not that succeeds."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


def read_secrets(data: Path) -> Sequence[Access]:
    """Return the access to each server that runs on a data directory, or was killed there, the newest first."""
    entries = []
    for file in (*data.glob(NODE_SECRET_FILES), data / SECRET_FILE):
        with suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(file.read_text())
            entries.append((file.stat().st_mtime, Access(str(content["url"]), str(content["token"]))))
    return [access for _, access in sorted(entries, reverse=True)]
