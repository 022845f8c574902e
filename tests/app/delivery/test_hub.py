"""The hub against clients without a network: counts, silent clients, and closing many connections."""

from __future__ import annotations

import asyncio

import pytest

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.hub import Hub
from noughts.app.runtime.limits import PING_INTERVAL_S, SILENT_S, TIMED_PING_INTERVAL_S
from noughts.room.seat import Person
from tests.support.virtual_time import in_virtual_time
from tests.support.wire import ADDRESS, Wire, connection_to, end_of_turn

ANN, BEN = Person("p_ann", "Ann"), Person("p_ben", "Ben")


def add(hub: Hub, person: Person | None = None, address: str = ADDRESS) -> tuple[Wire, Connection]:
    """Add a client whose last message came at second 0."""
    wire = Wire()
    connection = connection_to(wire, hub.flusher, None, address)
    hub.add(connection)
    if person is not None:
        hub.identify(connection, person)
    return wire, connection


def remove_all(hub: Hub, *connections: Connection) -> None:
    for connection in connections:
        hub.remove(connection)


async def test_connections_are_counted_by_network_and_by_player() -> None:
    hub = Hub()
    connections = [
        add(hub, ANN, "203.0.113.9")[1],
        add(hub, ANN, "203.0.113.9")[1],
        add(hub, BEN, "203.0.113.8")[1],
        add(hub, None, "2001:db8::9")[1],
        add(hub, None, "2001:db8::a")[1],
    ]
    assert len(hub) == 5
    assert (hub.count_of_player("p_ann"), hub.count_of_player("p_ben")) == (2, 1)
    assert (hub.count_of_network("203.0.113.9"), hub.count_of_network("203.0.113.8")) == (2, 1)
    # All addresses of a /64 are one subscriber's.
    assert (hub.count_of_network("2001:db8::1234"), hub.count_of_network("2001:db8:0:1::9")) == (2, 0)
    remove_all(hub, *connections)
    assert len(hub) == 0
    for count in (
        hub.count_of_player("p_ann"),
        hub.count_of_network("203.0.113.9"),
        hub.count_of_network("2001:db8::9"),
    ):
        assert count == 0
    await hub.stop()


# --- silent clients -----------------------------------------------------------------------------------------------


async def test_a_silent_client_is_pinged_and_then_dropped() -> None:
    hub = Hub()
    wire, connection = add(hub)
    states = []
    for now_s in (PING_INTERVAL_S / 2, PING_INTERVAL_S, SILENT_S, SILENT_S + 0.1):
        hub.ping_silent(now_s)
        states.append((len(wire.written), wire.aborted))
    assert states == [(0, False), (1, False), (1, False), (1, True)]
    assert wire.written[0][0] == 0x89
    remove_all(hub, connection)
    await hub.stop()


async def test_a_client_that_was_heard_is_not_silent() -> None:
    hub = Hub()
    wire, connection = add(hub)
    connection.received_s = 1_000.0
    hub.ping_silent(1_000.0 + PING_INTERVAL_S / 2)
    assert wire.written == []
    remove_all(hub, connection)
    await hub.stop()


async def test_players_on_a_clock_are_measured_all_the_time() -> None:
    """Only players: the network of a nameless spectator is of no interest."""
    hub = Hub()
    (player, first), (nameless, second) = add(hub, ANN), add(hub)
    first.timed = second.timed = True
    hub.ping_silent(TIMED_PING_INTERVAL_S)
    assert len(player.written) == 1
    assert nameless.written == []
    remove_all(hub, first, second)
    await hub.stop()


@pytest.mark.parametrize(("late_s", "looks"), [(0.0, 2), (60.0, 0)])
def test_nobody_is_dropped_for_the_silence_of_a_stopped_server(
    monkeypatch: pytest.MonkeyPatch, late_s: float, looks: int
) -> None:
    """What clients sent meanwhile has yet to be read. The next look tells them apart."""
    passed_s, looked = 0.0, []
    monkeypatch.setattr(Hub, "ping_silent", lambda hub, now_s: looked.append(now_s))

    async def scenario() -> None:
        hub, now_s = Hub(), asyncio.get_running_loop().time

        def monotonic() -> float:
            nonlocal passed_s
            passed_s += late_s
            return now_s() + passed_s

        monkeypatch.setattr("noughts.app.delivery.hub.time.monotonic", monotonic)
        _, connection = add(hub)
        await asyncio.sleep(2.5 * TIMED_PING_INTERVAL_S)
        remove_all(hub, connection)
        await hub.stop()

    in_virtual_time(scenario())
    assert len(looked) == looks


def test_nothing_runs_while_nobody_is_connected() -> None:
    """One task pings all clients. It starts with the first and ends after the last, each time."""

    async def scenario() -> None:
        hub = Hub()
        for _ in range(2):
            assert len(asyncio.all_tasks()) == 1
            connections = [add(hub)[1] for _ in range(3)]
            assert len(asyncio.all_tasks()) == 2
            await asyncio.sleep(10 * TIMED_PING_INTERVAL_S)
            assert len(asyncio.all_tasks()) == 2
            remove_all(hub, *connections)
            await asyncio.sleep(2 * TIMED_PING_INTERVAL_S)

    in_virtual_time(scenario())


# --- closing ------------------------------------------------------------------------------------------------------


async def test_a_ban_closes_the_connections_of_one_address() -> None:
    hub = Hub()
    clients = [add(hub, None, address) for address in ("203.0.113.9", "203.0.113.9", "203.0.113.8")]
    hub.close_address("::ffff:203.0.113.9")
    assert [wire.close_code for wire, _ in clients] == [1008, 1008, None]
    remove_all(hub, *[connection for _, connection in clients])
    await hub.stop()


async def test_a_deleted_player_loses_every_connection() -> None:
    hub = Hub()
    clients = [add(hub, person) for person in (ANN, BEN, ANN, None)]
    hub.close_player("p_ann")
    assert [wire.close_code for wire, _ in clients] == [4401, None, 4401, None]
    remove_all(hub, *[connection for _, connection in clients])
    await hub.stop()


async def test_a_closed_room_sends_what_this_turn_still_tells_its_clients() -> None:
    hub = Hub()
    clients = [add(hub) for _ in range(3)]
    hub.close_room(tuple(connection for _, connection in clients))
    for wire, connection in clients:
        assert wire.close_code is None
        connection.send(b"the closed view")
    await end_of_turn()
    for wire, connection in clients:
        assert (len(wire.written), wire.close_code, connection.state) == (2, 4410, "closing")
    remove_all(hub, *[connection for _, connection in clients])
    await hub.stop()


async def test_the_clients_of_a_restored_room_begin_anew() -> None:
    """They get 1012, after which a client connects again and takes what is stored."""
    hub = Hub()
    clients = [add(hub) for _ in range(3)]
    hub.restart_room(tuple(connection for _, connection in clients[:2]))
    await end_of_turn()
    assert [wire.close_code for wire, _ in clients] == [1012, 1012, None]
    remove_all(hub, *[connection for _, connection in clients])
    await hub.stop()


async def test_a_node_without_its_store_closes_a_part_of_its_connections() -> None:
    """Each call takes another part of those that are open. None of them may send anything from then on."""
    hub = Hub()
    clients = [add(hub) for _ in range(5)]
    counts = []
    for _ in range(4):
        hub.close_some(2)
        counts.append([connection.state for _, connection in clients].count("closing"))
        await end_of_turn()
    assert counts == [3, 4, 5, 5]
    assert {wire.close_code for wire, _ in clients} == {1012}
    remove_all(hub, *[connection for _, connection in clients])
    await hub.stop()


async def test_the_connected_players_are_known() -> None:
    hub = Hub()
    connections = [add(hub, person)[1] for person in (ANN, BEN, ANN, None)]
    assert set(hub.players()) == {ANN.player, BEN.player}
    remove_all(hub, *connections)
    assert hub.players() == ()
    await hub.stop()


def test_a_server_that_stops_closes_every_connection_with_1012() -> None:
    """A client that does not end its connection is dropped soon. One that connects late is closed by the endpoint."""

    async def scenario() -> None:
        hub = Hub()
        clients = [add(hub, person) for person in (ANN, None)]
        clients[0][1].feed_eof()
        await hub.stop()
        assert hub.stopping
        assert [wire.close_code for wire, _ in clients] == [1012, 1012]
        assert [wire.aborted for wire, _ in clients] == [False, True]
        tasks = len(asyncio.all_tasks())
        _, late = add(hub)
        assert len(asyncio.all_tasks()) == tasks
        remove_all(hub, late, *[connection for _, connection in clients])

    in_virtual_time(scenario())


def test_many_connections_are_closed_over_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their clients come back one by one. A few are closed sooner."""
    closed_s: list[float] = []
    monkeypatch.setattr(Wire, "write_eof", lambda wire: closed_s.append(asyncio.get_running_loop().time()))

    async def close(count: int) -> float:
        """Return the seconds between the first close and the last."""
        hub = Hub()
        closed_s.clear()
        connections = [add(hub)[1] for _ in range(count)]
        await hub.stop()
        assert len(closed_s) == count
        remove_all(hub, *connections)
        return max(closed_s) - min(closed_s)

    assert 0.9 < in_virtual_time(close(1_000)) < 1.1
    assert in_virtual_time(close(10)) < 0.1


async def test_every_connection_of_a_player_gets_the_new_name() -> None:
    hub = Hub()
    connections = [add(hub, person)[1] for person in (ANN, BEN, ANN, None)]
    hub.rename(Person("p_ann", "Anna"))
    names = [connection.person.name if connection.person else None for connection in connections]
    assert names == ["Anna", "Ben", "Anna", None]
    remove_all(hub, *connections)
    await hub.stop()


@pytest.mark.parametrize("address", ["unknown", ""])
async def test_an_address_that_is_none_counts_as_one_network(address: str) -> None:
    hub = Hub()
    connections = [add(hub, None, address)[1] for _ in range(2)]
    assert hub.count_of_network(address) == 2
    remove_all(hub, *connections)
    await hub.stop()
