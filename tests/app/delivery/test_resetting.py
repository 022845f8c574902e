"""A connection that is reset leaves nothing in the kernel."""

from __future__ import annotations

import socket
import struct
from unittest.mock import Mock

import pytest

from noughts.app.delivery.resetting import reset


def test_the_kernel_keeps_nothing_for_the_client() -> None:
    """The socket does not linger: closing it sends a reset."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        line, _ = server.accept()
        transport = Mock(get_extra_info=lambda name: line)
        reset(transport)
        transport.abort.assert_called_once_with()
        assert line.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, 8) == struct.pack("ii", 1, 0)
        line.close()


@pytest.mark.parametrize("descriptor", [None, ValueError("negative file descriptor")])
def test_a_transport_without_a_socket_is_aborted(descriptor: ValueError | None) -> None:
    """uvloop raises ValueError where the descriptor is closed."""
    transport = Mock(get_extra_info=Mock(side_effect=[descriptor]))
    reset(transport)
    transport.abort.assert_called_once_with()
