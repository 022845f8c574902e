"""The file in which a program keeps its player's secret and its rooms, so that it comes back as the same player."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from noughts.client.errors import ClientError
from noughts.client.links import server_url


class TokenFileError(ClientError):
    """A token file cannot be read or written, or is for another server."""


class TokenFile:
    """A file with the player's token in its first line, its server in the second, and a room in each line after them.

    Without a path nothing is kept. A file of an earlier version names no server: it is taken over by :meth:`keep`.
    Raise :class:`TokenFileError` for a file that cannot be read, or that names another server than ``url``.
    """

    def __init__(self, path: Path | None, url: str) -> None:
        self._path = path
        self._server = server_url(url)
        words = _words(path)
        self.token: str | None = words[0] if words else None
        """The token, None in a new file."""
        named = words[1] if len(words) > 1 and "://" in words[1] else None
        if named is not None and _origin(named) != _origin(self._server):
            raise TokenFileError(
                f"The token file {path} is for the server {named}, not for {self._server}: name another file."
                " If both are one server, change the second line of the file."
            )
        self.is_old = bool(words) and named is None
        """Whether the file names no server yet."""
        self.rooms: tuple[str, ...] = tuple(words[1 if named is None else 2 :])
        """The ids of the rooms in which the player has a seat."""

    def keep(self, token: str, rooms: Iterable[str] = ()) -> None:
        """Write the file, which only its owner may read. A crash leaves the old file or the new one.

        Raise :class:`TokenFileError` if it cannot be written.
        """
        self.token, self.rooms = token, tuple(rooms)
        if self._path is None:
            return
        partial = self._path.with_name(f"{self._path.name}.partial")
        try:
            partial.unlink(missing_ok=True)
            partial.touch(mode=0o600)
            partial.write_text("\n".join((self.token, self._server, *self.rooms, "")), "utf-8")
            os.replace(partial, self._path)
        except OSError as error:
            raise TokenFileError(
                f"The token file {self._path} cannot be written: {error.strerror}. Name another one."
            ) from None
        self.is_old = False


def unknown_token(path: Path | None) -> str:
    """Return what to do about a token that the server does not know."""
    if path is None:
        return "the server does not know this player any more: start again to come as a new one."
    return f"the server does not know the token in {path}: delete the file to come as a new player."


def _origin(url: str) -> tuple[str, str, int | None, str]:
    """Return what two URLs of one server have in common."""
    parts = urlsplit(server_url(url))
    return parts.scheme, parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80), parts.path


def _words(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text("utf-8").split()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TokenFileError(f"The token file {path} cannot be read: {error.strerror}. Name another one.") from None
    except UnicodeDecodeError:
        raise TokenFileError(f"The token file {path} cannot be read: it holds no token. Name another one.") from None
