"""The credit of one client: for its messages, as a socket, as a player and as an address."""

from __future__ import annotations

from typing import TypeAlias

from noughts.app.delivery.connection import Connection
from noughts.app.runtime.limits import (
    EXCESS,
    EXCESS_OF_ADDRESS,
    MAX_UNREAD_S,
    MESSAGES,
    MESSAGES_OF_ADDRESS,
    MESSAGES_OF_PLAYER,
    PINGS,
    Limit,
    Limits,
)
from noughts.errors import Rejection
from noughts.protocol.close_codes import TOO_MANY
from noughts.store.coordination import Bucket

_Credits: TypeAlias = tuple[tuple[Bucket, Limit], ...]
"""Every bucket that a message uses, with its limit. All that a socket shares with others is looked up once."""


class ClientCredit:
    """Charges the messages of one connection.

    A client without credit is rejected, and is not read until it has credit again. A client far beyond its credit is
    closed.
    """

    __slots__ = ("_connection", "_excess", "_limits", "_messages", "_pings")

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits
        self._messages: _Credits = ()
        self._pings: _Credits = ()
        self._excess: tuple[Bucket, ...] | None = None

    def charge(self, now_s: float, *, ping: bool = False) -> None:
        """Use one credit. A command of type ping has credits of its own. Raise ``rate_limited``."""
        if self._limits.off:
            return
        for bucket, limit in (self._pings if ping else self._messages) or self._opened(now_s, ping):
            retry_ms = bucket.take(now_s)
            if retry_ms:
                self._note_rejection(retry_ms, now_s)
                raise limit.rejection(retry_ms)

    def is_out(self, now_s: float) -> bool:
        """Use one credit for a frame that is not a command. Return whether there was none."""
        try:
            self.charge(now_s)
        except Rejection:
            return True
        return False

    def _opened(self, now_s: float, ping: bool) -> _Credits:
        """Return the credits that a first message uses, or a first ping."""
        if ping:
            self._pings = ((Bucket(PINGS.rate, now_s), PINGS),)
            return self._pings
        limits, person = self._limits, self._connection.person
        buckets = limits.buckets_of_networks(MESSAGES_OF_ADDRESS, self._connection.address, now_s)
        shared = [(bucket, MESSAGES_OF_ADDRESS) for bucket in buckets]
        if person is not None:
            shared.append((limits.bucket(MESSAGES_OF_PLAYER, person.player, now_s), MESSAGES_OF_PLAYER))
        self._messages = ((Bucket(MESSAGES.rate, now_s), MESSAGES), *shared)
        return self._messages

    def _note_rejection(self, retry_ms: int, now_s: float) -> None:
        """Stop reading until there is credit. Close the connection of a client far beyond it."""
        excess = self._excess
        if excess is None:
            of_networks = self._limits.buckets_of_networks(EXCESS_OF_ADDRESS, self._connection.address, now_s)
            excess = self._excess = (Bucket(EXCESS.rate, now_s), *of_networks)
        if any(bucket.take(now_s) for bucket in excess):
            self._connection.close(TOO_MANY, "too many messages")
        else:
            self._connection.rest(min(retry_ms / 1000, MAX_UNREAD_S))
