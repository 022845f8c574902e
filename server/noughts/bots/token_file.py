"""The file in which a bot keeps its secret and its rooms, so that it goes on where it was stopped."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


class TokenFile:
    """A file with the player's token in its first line, and a room in each line after it. Without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().split() if path is not None and path.exists() else []
        self.token: str | None = lines[0] if lines else None
        """The token, None in a new file."""
        self.rooms: tuple[str, ...] = tuple(lines[1:])
        """The ids of the rooms in which the bot has a seat."""

    def keep(self, token: str, rooms: Iterable[str]) -> None:
        """Write the file, which only its owner may read. A crash leaves the old file or the new one."""
        self.token, self.rooms = token, tuple(rooms)
        if self._path is None:
            return
        partial = self._path.with_name(f"{self._path.name}.partial")
        partial.unlink(missing_ok=True)
        partial.touch(mode=0o600)
        partial.write_text("\n".join((self.token, *self.rooms, "")))
        os.replace(partial, self._path)
