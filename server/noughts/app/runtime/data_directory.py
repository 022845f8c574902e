"""The data directory: for one server at a time, and closed to other accounts of the machine.

The database holds hashes of tokens, invites, chat lines and addresses.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from noughts.command_line import UsageError

DATABASE: Final = "noughts.db"
_LOCK: Final = "lock"
_OURS: Final = (DATABASE, _LOCK, "admin", "backup")
"""The beginnings of the names of all files that a server makes in its data directory."""
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO

log = structlog.get_logger()


@contextmanager
def private_files() -> Iterator[None]:
    """Make all new files and directories with access for this account alone."""
    before = os.umask(_OTHERS)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def only_server(data: Path) -> Iterator[None]:
    """Lock the data directory. Two servers on one directory would each overwrite what the other holds in memory.

    Raise :class:`~noughts.command_line.UsageError` if the directory cannot be used, or another server uses it.
    """
    try:
        data.mkdir(parents=True, exist_ok=True)
        # It follows no link, and empties nothing: another account may have put something in its place.
        lock = os.open(data / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise UsageError(
            f"the data directory {data} cannot be used: {error.strerror}."
            " Choose another one with --data (make run DATA=...)."
        ) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"another server runs on {data}: stop it, or choose another directory with --data (make run DATA=...)."
            ) from None
        if os.geteuid() == 0:  # an operator's command: the account of the server must be able to open the lock
            status = data.stat()
            os.fchown(lock, status.st_uid, status.st_gid)
        close_to_others(data)
        yield
    finally:
        os.close(lock)


def close_to_others(data: Path) -> None:
    """Take the access of other accounts away from the files of a server, and from the directory if it holds no others.

    Log a warning where that is not possible.
    """
    try:
        entries = list(data.iterdir())
        ours = [entry for entry in entries if entry.name.startswith(_OURS)]
        for path in (*ours, *((data,) if len(ours) == len(entries) else ())):
            mode = stat.S_IMODE(path.lstat().st_mode)
            if mode & _OTHERS and not path.is_symlink():
                path.chmod(mode & ~_OTHERS)
    except OSError as error:
        log.warning("the data directory could not be closed to other accounts", reason=error.strerror)
        return
    if data.stat().st_mode & _OTHERS:
        log.warning(
            "other accounts can list the data directory, because it holds files that are not the server's:"
            " use a directory of its own",
            directory=str(data),
        )
