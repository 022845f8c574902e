"""What a client in the lobby talks to."""

from __future__ import annotations

from noughts.app.delivery.connection import Connection
from noughts.app.lobby.feed import LobbyFeed
from noughts.app.machines.replies import Reply
from noughts.app.machines.wing import Door, nameless
from noughts.errors import Rejection
from noughts.protocol.codec import decode_command
from noughts.room.seat import Person


class LobbyDoor(Door):
    """Rejects every command: the lobby is only watched."""

    __slots__ = ("_connection", "_feed")

    def __init__(self, feed: LobbyFeed, connection: Connection) -> None:
        self._feed = feed
        self._connection = connection

    decode = staticmethod(decode_command)

    def submit(self, person: Person | None, command: object, reply: Reply) -> None:
        if person is None:
            raise nameless()
        raise Rejection("forbidden", "This is the lobby: connect to a room to do that.")

    def leave(self) -> None:
        self._feed.leave(self._connection)
