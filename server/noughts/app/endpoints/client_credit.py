"""The credit of one client: for its messages, as a socket, as a player and as an address."""

from __future__ import annotations

from typing import Final

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.hub import Hub
from noughts.app.delivery.websocket import CLOSE_S
from noughts.app.runtime.addresses import network
from noughts.app.runtime.limits import (
    EXCESS,
    MESSAGES,
    MESSAGES_OF_ADDRESS,
    MESSAGES_OF_PLAYER,
    PINGS,
    LimitedBucket,
    Limits,
)
from noughts.errors import Rejection
from noughts.protocol.close_codes import TOO_MANY

MAX_HOLD_MS: Final = 1_000
"""The longest time for which a client without credit is not read."""


class ClientCredit:
    """Charges the messages of one connection.

    A client without credit is rejected, and is not read until it has credit again. A client that goes on far beyond its
    credit is closed.
    """

    __slots__ = ("_address", "_connection", "_excess", "_hub", "_limits", "_messages", "_pings", "_player")

    def __init__(self, connection: Connection, hub: Hub, limits: Limits) -> None:
        self._connection = connection
        self._hub = hub
        self._limits = limits
        self._messages: LimitedBucket | None = None
        self._address: LimitedBucket | None = None
        self._player: LimitedBucket | None = None
        self._pings: LimitedBucket | None = None
        self._excess: LimitedBucket | None = None

    def charge(self, now_s: float, *, ping: bool = False) -> None:
        """Use one credit. A command of type ping has credits of its own. Raise ``rate_limited``."""
        if self._limits.off:
            return
        try:
            if ping:
                self._charge_ping(now_s)
            else:
                self._charge_message(now_s)
        except Rejection as rejection:
            self._reject(rejection, now_s)
            raise

    def is_out(self, now_s: float) -> bool:
        """Use one credit for a frame that is not a command. Return whether there was none."""
        try:
            self.charge(now_s)
        except Rejection:
            return True
        return False

    def _charge_ping(self, now_s: float) -> None:
        if self._pings is None:
            self._pings = LimitedBucket(PINGS, now_s)
        self._pings.take(now_s)

    def _charge_message(self, now_s: float) -> None:
        if self._messages is None or self._address is None:
            holder = network(self._connection.address)
            self._messages = LimitedBucket(MESSAGES, now_s)
            self._address = self._limits.bucket(MESSAGES_OF_ADDRESS, holder, now_s)
        self._messages.take(now_s)
        self._address.take(now_s)
        person = self._connection.person
        if person is not None:
            if self._player is None:
                self._player = self._limits.bucket(MESSAGES_OF_PLAYER, person.player, now_s)
            self._player.take(now_s)

    def _reject(self, rejection: Rejection, now_s: float) -> None:
        """Stop reading until there is credit. Close the connection of a client far beyond it."""
        hold_s = min(rejection.retry_ms or MAX_HOLD_MS, MAX_HOLD_MS) / 1000
        if self._excess is None:
            self._excess = LimitedBucket(EXCESS, now_s)
        try:
            self._excess.take(now_s)
        except Rejection:
            self._hub.close_soon(self._connection, TOO_MANY, "too many messages")
            hold_s = CLOSE_S  # what it goes on to send is not read until the connection ends
        self._connection.hold(hold_s)
