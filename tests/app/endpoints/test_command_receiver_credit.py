"""The credit of a client: what uses it, what a client without it gets, and who shares it."""

from __future__ import annotations

import pytest

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher, State
from noughts.app.endpoints.command_receiver import ClientCredit
from noughts.app.runtime.limits import (
    EXCESS,
    EXCESS_OF_ADDRESS,
    MESSAGES,
    MESSAGES_OF_ADDRESS,
    MESSAGES_OF_PLAYER,
    PINGS,
    Limits,
)
from noughts.errors import Rejection
from noughts.room.seat import Person
from noughts.store.coordination import LocalCoordination
from tests.support.wire import ADDRESS, Wire, connection_to

ANN = Person("p_ann", "Ann")


class Clients:
    """Connections with or without a player, of one address unless the test says otherwise."""

    def __init__(self, *, off: bool = False) -> None:
        self.flusher = Flusher()
        self.limits = Limits(LocalCoordination(), off=off)
        self.connections: list[Connection] = []

    def credit(self, person: Person | None = None, address: str = ADDRESS) -> ClientCredit:
        self.connections.append(connection_to(Wire(), self.flusher, person, address))
        return ClientCredit(self.connections[-1], self.limits)

    def states(self) -> list[State]:
        return [connection.state for connection in self.connections]


def charged(credit: ClientCredit, count: int, *, ping: bool = False) -> int:
    """Return how many of some messages at one moment have credit."""
    accepted = 0
    for _ in range(count):
        try:
            credit.charge(0.0, ping=ping)
        except Rejection:
            continue
        accepted += 1
    return accepted


async def test_a_socket_has_credit_for_messages_and_for_pings() -> None:
    credit = Clients().credit()
    assert charged(credit, 100) == MESSAGES.rate.burst
    assert charged(credit, 100, ping=True) == PINGS.rate.burst
    assert credit.is_out(0.0)
    assert not credit.is_out(1.0)


async def test_the_sockets_of_a_player_share_credit() -> None:
    clients = Clients()
    assert sum(charged(clients.credit(ANN), 40) for _ in range(12)) == MESSAGES_OF_PLAYER.rate.burst


async def test_the_sockets_of_an_address_share_credit() -> None:
    clients = Clients()
    assert sum(charged(clients.credit(), 40) for _ in range(50)) == MESSAGES_OF_ADDRESS.rate.burst


async def test_the_sockets_of_a_wide_network_share_credit() -> None:
    """A /56 is 256 networks of one subscriber."""
    clients = Clients()
    accepted = sum(charged(clients.credit(address=f"2001:db8:0:{n:x}::1"), 40) for n in range(200))
    assert accepted == 4 * MESSAGES_OF_ADDRESS.rate.burst


async def test_a_client_without_credit_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read again once there is credit for the next message, after a second at most."""
    rests: list[float] = []
    monkeypatch.setattr(Connection, "rest", lambda connection, seconds: rests.append(seconds))
    credit = Clients().credit()
    charged(credit, int(MESSAGES.rate.burst))
    assert rests == []
    charged(credit, 1)
    assert rests == [pytest.approx(1 / MESSAGES.rate.per_s, rel=0.01)]
    charged(credit, int(PINGS.rate.burst) + 1, ping=True)
    assert rests[1:] == [pytest.approx(min(1.0, 1 / PINGS.rate.per_s), rel=0.01)]


async def test_a_client_far_beyond_its_credit_is_closed() -> None:
    clients = Clients()
    credit = clients.credit()
    charged(credit, int(MESSAGES.rate.burst + EXCESS.rate.burst))
    assert clients.states() == ["open"]
    with pytest.raises(Rejection):
        credit.charge(0.0)
    assert clients.states() == ["closing"]


async def test_the_sockets_of_an_address_go_beyond_their_credit_together() -> None:
    """A client that comes again after each close would otherwise be rejected 400 times on each connection."""
    clients = Clients()
    most = int(EXCESS_OF_ADDRESS.rate.burst)
    credits = [clients.credit() for _ in range(2 * most // 100)]
    spent = 0
    for credit in credits:
        spent += 140 - charged(credit, 140)
        if spent > most:
            break
    assert spent > most
    for credit in credits[-3:]:
        charged(credit, int(MESSAGES.rate.burst) + 1)
    assert clients.states()[0] == "open"
    assert clients.states()[-3:] == ["closing"] * 3


async def test_without_limits_all_is_free() -> None:
    assert charged(Clients(off=True).credit(), 10_000) == 10_000
