"""The links of a room: what they name, and what they must not be mistaken for."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from noughts.client.errors import ConnectError

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class Link(NamedTuple):
    """A room's id, its invite if the link has one, and the URL of the server if it names one."""

    room: str
    invite: str | None
    server: str | None


def server_url(url: str) -> str:
    """Return the URL of a server without a slash at the end. Raise :class:`ConnectError` for text that is no URL."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
        raise ConnectError(f"{url!r} is no URL of a server: name one such as http://127.0.0.1:8000.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def socket_url(server: str) -> str:
    """Return the URL of a server's WebSocket."""
    return f"ws{server.removeprefix('http')}/ws"


def parse_link(text: str) -> Link:
    """Return what a room's id or link names. Raise :class:`ConnectError` for text that is neither."""
    if _ID.match(text):
        return Link(text, None, None)
    parts = urlsplit(text)
    server, _, room = parts.path.rstrip("/").rpartition("/r/")
    room = unquote(room)
    if parts.scheme not in ("http", "https") or not parts.netloc or not _ID.match(room):
        raise ConnectError(f"{text!r} is no link of a room: it looks like http://127.0.0.1:8000/r/ID.")
    secret = parts.fragment.removeprefix("i=") if parts.fragment.startswith("i=") else ""
    return Link(room, secret or None, f"{parts.scheme}://{parts.netloc}{server}")
