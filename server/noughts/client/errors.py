"""The exceptions of the client. Each message is a sentence that says what to do."""

from __future__ import annotations

from noughts.printable import printable


class ClientError(Exception):
    """The base of the client's exceptions."""


class Rejected(ClientError):
    """The server rejected a command or a request, and nothing has changed.

    ``code`` is one of the codes of the protocol, such as ``not_your_turn``. ``message`` is a sentence for
    people, safe to print. ``retry_ms`` is how long to wait before asking again, None if waiting does not help.
    """

    def __init__(self, code: str, message: str, retry_ms: int | None = None) -> None:
        code, message = printable(code), printable(message)
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_ms = retry_ms


class RoomGone(ClientError):
    """The room does not exist, has expired, or was closed."""


class ConnectError(ClientError):
    """The server cannot be reached, is no Noughts server, or speaks another protocol."""
