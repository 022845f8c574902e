"""The file in which a program keeps its player's secret and its rooms, so that it comes back as the same player."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from noughts.client.errors import ClientError


class TokenFileError(ClientError):
    """A token file cannot be read or written."""


class TokenFile:
    """A file with the player's token in its first line, and a room in each line after it. Without a path nothing is kept.

    Raise :class:`TokenFileError` for a file that cannot be read.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        words = _words(path)
        self.token: str | None = words[0] if words else None
        """The token, None in a new file."""
        self.rooms: tuple[str, ...] = tuple(words[1:])
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
            partial.write_text("\n".join((self.token, *self.rooms, "")), "ascii")
            os.replace(partial, self._path)
        except OSError as error:
            raise TokenFileError(
                f"The token file {self._path} cannot be written: {error.strerror}. Name another one."
            ) from None


def unknown_token(path: Path | None) -> str:
    """Return what to do about a token that the server does not know."""
    if path is None:
        return "the server does not know this player any more: start again to come as a new one."
    return f"the server does not know the token in {path}: delete the file to come as a new player."


def _words(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text("ascii").split()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TokenFileError(f"The token file {path} cannot be read: {error.strerror}. Name another one.") from None
    except UnicodeDecodeError:
        raise TokenFileError(f"The token file {path} cannot be read: it holds no token. Name another one.") from None
