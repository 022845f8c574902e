"""The hub against clients without a network: counts, silent clients, and closing many connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import pytest
import pytest_asyncio

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.hub import Hub
from noughts.app.runtime.limits import PING_INTERVAL_S, SILENT_S, TIMED_PING_INTERVAL_S
from noughts.room.seat import Person
from tests.support.virtual_time import in_virtual_time
from tests.support.wire import ADDRESS, Wire, connection_to, end_of_turn

ANN, BEN = Person("p_ann", "Ann"), Person("p_ben", "Ben")


class Clients:
    """A hub, and the clients that it has."""

    def __init__(self) -> None:
        self.hub = Hub()
        self.wires: list[Wire] = []
        self.connections: list[Connection] = []

    def enter(self, *people: Person | None) -> None:
        for person in people:
            self.add(person)

    def add(self, person: Person | None = None, address: str = ADDRESS) -> tuple[Wire, Connection]:
        """Add a client whose last message came at second 0."""
        wire = Wire()
        connection = connection_to(wire, self.hub.flusher, None, address)
        self.hub.add(connection)
        if person is not None:
            self.hub.identify(connection, person)
        self.wires.append(wire)
        self.connections.append(connection)
        return wire, connection

    def codes(self) -> list[int | None]:
        """Return the code with which each connection was closed."""
        return [wire.close_code for wire in self.wires]

    def remove(self) -> None:
        """Remove all connections."""
        while self.connections:
            self.hub.remove(self.connections.pop())


@pytest_asyncio.fixture(loop_scope="session")
async def clients() -> AsyncIterator[Clients]:
    """Return a hub without clients. Remove them in the end."""
    clients = Clients()
    yield clients
    clients.remove()
    await clients.hub.stop()


@pytest.mark.parametrize(
    ("addresses", "address", "crowded"),
    [
        (("203.0.113.9", "203.0.113.9", "203.0.113.8"), "203.0.113.9", True),
        (("203.0.113.9", "203.0.113.8"), "203.0.113.9", False),
        (("2001:db8::9", "2001:db8::a"), "2001:db8::1234", True),  # a /64 is one subscriber's
        (("2001:db8::9", "2001:db8::a"), "2001:db8:0:1::9", False),
        (tuple([f"2001:db8:0:{n:x}::9" for n in range(8)]), "2001:db8:0:9::9", True),  # so may be a /56
        (("unknown", "unknown"), "unknown", True),
    ],
)
async def test_connections_are_counted_by_network(
    clients: Clients, addresses: tuple[str, ...], address: str, crowded: bool
) -> None:
    hub = clients.hub
    for each in addresses:
        clients.add(None, each)
    assert (len(hub), hub.is_crowded(address, 2)) == (len(addresses), crowded)
    clients.remove()
    assert (len(hub), hub.is_crowded(address, 1)) == (0, False)


async def test_connections_are_counted_by_player(clients: Clients) -> None:
    clients.enter(ANN, BEN, ANN, None)
    hub = clients.hub
    assert [hub.count_of_player(person.player) for person in (ANN, BEN)] == [2, 1]
    assert set(hub.players()) == {ANN.player, BEN.player}
    clients.remove()
    assert (hub.count_of_player(ANN.player), hub.players()) == (0, ())


# --- silent clients -----------------------------------------------------------------------------------------------


async def test_a_silent_client_is_pinged_and_then_dropped(clients: Clients) -> None:
    """But not one that was heard meanwhile."""
    clients.enter(None)
    (reader, connection), wire = clients.add(), clients.wires[0]
    states = []
    for now_s in (PING_INTERVAL_S / 2, PING_INTERVAL_S, SILENT_S, SILENT_S + 0.1):
        connection.received_s = now_s - PING_INTERVAL_S / 2
        clients.hub.ping_silent(clients.connections, now_s)
        states.append((len(wire.written), wire.aborted))
    assert states == [(0, False), (1, False), (1, False), (1, True)]
    assert wire.written[0][0] == 0x89
    assert reader.written == []


async def test_players_on_a_clock_are_measured_all_the_time(clients: Clients) -> None:
    """Only players: the network of a nameless spectator is of no interest."""
    clients.enter(ANN, None)
    for connection in clients.connections:
        connection.timed = True
    clients.hub.ping_silent(clients.connections, TIMED_PING_INTERVAL_S)
    assert [len(wire.written) for wire in clients.wires] == [1, 0]


@pytest.mark.parametrize(("late_s", "looks"), [(0.0, 2), (60.0, 0)])
def test_nobody_is_dropped_for_the_silence_of_a_stopped_server(
    monkeypatch: pytest.MonkeyPatch, late_s: float, looks: int
) -> None:
    """What clients sent meanwhile has yet to be read. The next look tells them apart."""
    passed_s, looked = 0.0, []
    monkeypatch.setattr(Hub, "ping_silent", lambda hub, connections, now_s: looked.append(now_s))

    async def scenario() -> None:
        now_s = asyncio.get_running_loop().time

        def monotonic() -> float:
            nonlocal passed_s
            passed_s += late_s
            return now_s() + passed_s

        monkeypatch.setattr("noughts.app.delivery.hub.time.monotonic", monotonic)
        watch = asyncio.create_task(Hub().watch_silence())
        await asyncio.sleep(2.5 * TIMED_PING_INTERVAL_S)
        watch.cancel()

    in_virtual_time(scenario())
    assert len(looked) == looks


@pytest.mark.parametrize(("count", "turns"), [(0, 1), (100, 7), (2_000, 100)])
def test_many_clients_are_not_pinged_at_once(monkeypatch: pytest.MonkeyPatch, count: int, turns: int) -> None:
    """Otherwise moves would wait for the pings of all and their answers. Each is looked at once in an interval."""
    clients, looks = Clients(), list[Sequence[Connection]]()
    monkeypatch.setattr(Hub, "ping_silent", lambda hub, connections, now_s: looks.append(connections))

    async def scenario() -> None:
        monkeypatch.setattr("noughts.app.delivery.hub.time.monotonic", asyncio.get_running_loop().time)
        clients.enter(*[None] * count)
        watch = asyncio.create_task(clients.hub.watch_silence())
        await asyncio.sleep(TIMED_PING_INTERVAL_S + 0.01)
        watch.cancel()

    in_virtual_time(scenario())
    assert [connection for look in looks for connection in look] == clients.connections
    assert len(looks) == turns


# --- closing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("close", "code"),
    [
        (lambda clients: clients.hub.close_banned("::ffff:203.0.113.8"), 1008),
        (lambda clients: clients.hub.close_player("p_ann"), 4401),
        (lambda clients: clients.hub.restart_room(tuple(clients.connections[1:])), 1012),
    ],
    ids=["a banned address", "a deleted player", "a restored room"],
)
async def test_some_connections_are_closed(clients: Clients, close: Callable[[Clients], None], code: int) -> None:
    clients.enter(BEN)
    for _ in range(2):
        clients.add(ANN, "203.0.113.8")
    close(clients)
    assert clients.codes() == [None, code, code]


async def test_a_closed_room_sends_what_this_turn_still_tells_its_clients(clients: Clients) -> None:
    clients.enter(None, None, None)
    clients.hub.close_room(tuple(clients.connections))
    assert clients.codes() == [None] * 3
    for connection in clients.connections:
        connection.send(b"the closed view")
    await end_of_turn()
    assert clients.codes() == [4410] * 3
    assert [len(wire.written) for wire in clients.wires] == [2] * 3


async def test_a_node_without_its_store_closes_a_part_of_its_connections(clients: Clients) -> None:
    """Each call takes another part of those that are open. None of them may send anything from then on."""
    clients.enter(*[None] * 5)
    counts = []
    for _ in range(4):
        clients.hub.close_some(2)
        counts.append(clients.codes().count(1012))
    assert counts == [3, 4, 5, 5]


def test_a_server_that_stops_closes_every_connection_with_1012() -> None:
    """A client that does not end its connection is dropped soon. One that connects late is closed by the endpoint."""

    async def scenario() -> None:
        clients = Clients()
        clients.enter(ANN, None)
        clients.connections[0].connection_lost(None)
        await clients.hub.stop()
        assert clients.hub.stopping
        assert clients.codes() == [1012, 1012]
        assert [wire.aborted for wire in clients.wires] == [False, True]

    in_virtual_time(scenario())


def test_many_connections_are_closed_over_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their clients come back one by one. A few are closed sooner."""
    closed_s: list[float] = []
    monkeypatch.setattr(Wire, "write_eof", lambda wire: closed_s.append(asyncio.get_running_loop().time()))

    async def close(count: int) -> float:
        """Return the seconds between the first close and the last."""
        closed_s.clear()
        clients = Clients()
        clients.enter(*[None] * count)
        await clients.hub.stop()
        assert len(closed_s) == count
        return max(closed_s) - min(closed_s)

    assert 0.9 < in_virtual_time(close(1_000)) < 1.1
    assert in_virtual_time(close(10)) < 0.1
