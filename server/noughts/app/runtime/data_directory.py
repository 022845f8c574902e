"""The data directory: for one server at a time, and closed to other accounts of the machine.

The database holds hashes of tokens, invites, chat lines and addresses.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import structlog

from noughts.command_line import UsageError

DATABASE: Final = "noughts.db"
MOUNTS: Final = Path("/proc/self/mountinfo")
_NETWORK: Final = frozenset(
    (
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "gfs2",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "smb3",
        "smbfs",
    )
)
_LOCAL_FUSE: Final = frozenset(("fuseblk", "fuse.fuse-overlayfs"))
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
def only_server(data: Path, *, any_file_system: bool = False) -> Iterator[None]:
    """Lock the data directory. Two servers on one directory would each overwrite what the other holds in memory.

    Raise :class:`~noughts.command_line.UsageError` if the directory cannot be used, or another server uses it. Do so too if
    its locks may not reach other machines, unless ``any_file_system``.
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
        except BlockingIOError:
            raise UsageError(
                f"another server runs on {data}: stop it, or choose another directory with --data (make run DATA=...)."
            ) from None
        except OSError as error:
            raise UsageError(
                f"the file system of {data} cannot lock files: {error.strerror}. Choose a directory on a disk of this"
                " machine with --data (make run DATA=...)."
            ) from None
        kind = file_system_of(data)
        if is_shared(kind) and not any_file_system:
            raise UsageError(
                f"{data} is on a file system of the type {kind}, whose locks may hold on one machine only. Choose a"
                " directory on a disk of this machine with --data. If no other machine uses it, use --any-file-system."
            )
        if os.geteuid() == 0:  # an operator's command: the account of the server must be able to open the lock
            status = data.stat()
            os.fchown(lock, status.st_uid, status.st_gid)
        close_to_others(data)
        yield
    finally:
        os.close(lock)


def file_system_of(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of a path's file system, such as ``ext4``, as Linux lists it, or an empty text.

    A line of the list has the device as its third word, and the type behind a hyphen.
    """
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError):
        for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
            before, _, after = line.partition(" - ")
            if before.split()[2:3] == [number]:
                return after.partition(" ")[0]
    return ""


def is_shared(kind: str) -> bool:
    """Return whether other machines may share a file system of this type, so that its locks may hold on one machine only."""
    return kind in _NETWORK or (kind.startswith("fuse") and kind not in _LOCAL_FUSE)


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
