"""The first message to a client that has been let in."""

from __future__ import annotations

from noughts.app.delivery.connection import Connection
from noughts.protocol.codec import encode
from noughts.protocol.messages import PROTOCOL, REACTIONS, PlayerView, Welcome


def welcome(connection: Connection, now_ms: int, page: str) -> None:
    """Send the welcome, before anything else is sent to the client. ``page`` is the hash of the page's files."""
    person = connection.person
    player = PlayerView(person.player, person.name, person.bot) if person is not None else None
    connection.send(encode(Welcome(PROTOCOL, player, now_ms, REACTIONS, page)))
