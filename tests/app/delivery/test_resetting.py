"""A connection that is reset leaves nothing in the kernel."""

from __future__ import annotations

import socket
import struct

import pytest

from noughts.app.delivery.resetting import reset


class Line:
    """A transport over a socket."""

    def __init__(self, line: socket.socket | None) -> None:
        self.line = line
        self.aborted = False
        self.linger = b""

    def get_extra_info(self, name: str) -> socket.socket | None:
        return self.line

    def abort(self) -> None:
        self.aborted = True
        if self.line is not None:
            self.linger = self.line.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8)
            self.line.close()


def test_the_kernel_keeps_nothing_for_the_client() -> None:
    """The socket does not linger: closing it sends a reset."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        line, _ = server.accept()
        transport = Line(line)
        reset(transport)
        assert transport.aborted
        assert transport.linger == struct.pack("ii", 1, 0)


def test_a_transport_without_a_socket_is_aborted() -> None:
    line = Line(None)
    reset(line)
    assert line.aborted


def test_a_transport_that_has_closed_is_aborted(monkeypatch: pytest.MonkeyPatch) -> None:
    """uvloop does not find its descriptor any more."""

    def closed(line: Line, name: str) -> None:
        raise ValueError("negative file descriptor")

    monkeypatch.setattr(Line, "get_extra_info", closed)
    line = Line(None)
    reset(line)
    assert line.aborted
