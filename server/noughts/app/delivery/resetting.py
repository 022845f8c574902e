"""Ends a TCP connection at once."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import Any, Final, Protocol

_NO_LINGER: Final = struct.pack("ii", 1, 0)


class Abortable(Protocol):
    """The part of a transport that ends it."""

    def get_extra_info(self, name: str) -> Any: ...
    def abort(self) -> None: ...


def reset(transport: Abortable) -> None:
    """Drop a connection, and what the kernel still holds for a client that does not read it.

    After a mere abort the kernel would offer that to the client for minutes.
    """
    with suppress(OSError, ValueError):  # uvloop raises ValueError where the descriptor is closed
        line = transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()
