"""The Lua scripts, which Redis runs one at a time and whole."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from typing import Final, TypeAlias

from noughts.store.address import check_prefix

Word: TypeAlias = str | bytes | int
"""One word of a command or of a script's arguments."""

_USES: Final = re.compile(r"-- uses: (.*)\n")
"""The first line of a script that begins with the functions of other files."""


class Script:
    """One script, with the prefix of all keys as the variable ``P``. Redis knows it by its SHA-1."""

    __slots__ = ("name", "sha", "text")

    def __init__(self, name: str, prefix: str) -> None:
        body = _file(name)
        used = _USES.match(body)
        parts = [_file(part) for part in used[1].split(", ")] if used else []
        self.name = name
        self.text = "".join([f"local P = '{prefix}'\n", *parts, body])
        self.sha = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()


def key_prefix(name: str) -> str:
    """Return the beginning of all keys and channels of an installation."""
    return f"{{{check_prefix(name)}}}:"


def _file(name: str) -> str:
    return (resources.files("noughts.store.redis") / "lua" / f"{name}.lua").read_text(encoding="utf-8")
