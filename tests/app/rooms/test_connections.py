"""The connections of a room against clients without a network: who is sent what, and how often it is encoded."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from noughts.app.delivery.connection import Connection
from noughts.app.delivery.sender import Flusher
from noughts.app.rooms.connections import LINES_SENT, RoomConnections
from noughts.protocol.codec import encode
from noughts.protocol.messages import RoomMessage
from noughts.protocol.views import view
from noughts.room.clock import MoveClock
from noughts.room.creation import new_room
from noughts.room.events import Moved, Reacted, Sat
from noughts.room.policy import Policy
from noughts.room.presence import NO_PRESENCE
from noughts.room.room import Room
from noughts.room.seat import HumanSeat, Person
from noughts.rules.variant import variant_named
from noughts.store.machine_store import Line
from tests.support.wire import Wire, connection_to, end_of_turn

POLICY = Policy()
ANN, BEN, CAT = Person("p_ann", "Ann"), Person("p_ben", "Ben"), Person("p_cat", "Cat")
NAMES = {person.player: person.name for person in (ANN, BEN)}


def seat(person: Person) -> HumanSeat:
    return HumanSeat(person.player)


def friends() -> Room:
    """Return Ann's room, with Ann at X and an empty seat O."""
    return new_room(
        room_id="room",
        invite="the-invite",
        owner=ANN.nameless,
        variant=variant_named("classic"),
        opponent="friend",
        mark="X",
        engines=(),
        clock=None,
        visibility=None,
        now_ms=1_000,
    )


class Clients:
    """The connections of a room, and the clients in it."""

    def __init__(self, room: Room, connections: RoomConnections | None = None) -> None:
        self.room = room
        self.connections = RoomConnections(POLICY, (), NAMES) if connections is None else connections
        self.flusher = Flusher()

    def join(self, person: Person | None = None) -> tuple[Wire, Connection]:
        wire = Wire()
        connection = connection_to(wire, self.flusher, person)
        self.connections.join(connection, self.room)
        return wire, connection


def messages(wire: Wire) -> list[dict[str, Any]]:
    """Return the messages in short and middle-sized text frames."""
    data, received = b"".join(wire.written), []
    while data:
        size, start = data[1], 2
        if size == 126:
            size, start = int.from_bytes(data[2:4]), 4
        received.append(json.loads(data[start : start + size]))
        data = data[start + size :]
    return received


async def test_each_audience_is_sent_its_own_view() -> None:
    """The message is what ``RoomMessage`` gives for the audience. X and the owner see the invite."""
    clients = Clients(friends())
    wires = {person: clients.join(person)[0] for person in (ANN, BEN, None)}
    event = Sat("X", ANN.player, ANN.name)
    clients.connections.send_room(clients.room, NO_PRESENCE, event)
    await end_of_turn()
    for wire in wires.values():
        (message,) = messages(wire)
        assert message["room"] == json.loads(encode(view(clients.room, POLICY, NAMES)))
        assert message["event"] == {"type": "sat", "mark": "X", "player": "p_ann", "name": "Ann"}
        assert set(message) == {"type", *RoomMessage.__struct_fields__}
    (ann,), (ben,), (nameless,) = (messages(wires[person]) for person in (ANN, BEN, None))
    assert (ann["you"]["mark"], ann["you"]["owner"], ann["you"]["invite"]) == ("X", True, "the-invite")
    assert (ben["you"]["mark"], ben["you"]["owner"], "invite" in ben["you"]) == (None, False, False)
    assert ben["you"] == nameless["you"]


async def test_a_view_is_encoded_once_for_each_audience() -> None:
    """All clients of an audience are written the same bytes object."""
    clients = Clients(friends())
    spectators = [clients.join(person)[0] for person in (BEN, CAT, None, None)]
    owner, _ = clients.join(ANN)
    clients.connections.send_room(clients.room, NO_PRESENCE, None)
    await end_of_turn()
    assert len({id(wire.written[0]) for wire in spectators}) == 1
    assert owner.written[0] != spectators[0].written[0]


async def test_clients_are_grouped_again_when_a_seat_or_the_owner_changes() -> None:
    """A newcomer is grouped by the room as it is now."""
    clients = Clients(friends())
    wires = [clients.join(BEN)[0]]
    clients.room = replace(clients.room, version=2, seats=clients.room.seats.replaced("O", seat(BEN)))
    wires.append(clients.join(BEN)[0])
    clients.connections.send_room(clients.room, NO_PRESENCE, None)
    room = replace(clients.room, version=3, seats=clients.room.seats.replaced("O", None))
    clients.connections.send_room(room, NO_PRESENCE, None)
    clients.connections.send_room(replace(room, version=4, owner=BEN.nameless), NO_PRESENCE, None)
    await end_of_turn()
    for wire in wires:
        parts = [(message["you"]["mark"], message["you"]["owner"]) for message in messages(wire)]
        assert parts == [("O", False), (None, False), (None, True)]


async def test_one_client_can_be_sent_the_room_again() -> None:
    clients = Clients(friends())
    wire, connection = clients.join(ANN)
    other, _ = clients.join(BEN)
    clients.connections.send_room_to(connection, clients.room, NO_PRESENCE)
    await end_of_turn()
    (message,) = messages(wire)
    assert (message["version"], message["event"], message["you"]["mark"]) == (1, None, "X")
    assert other.written == []


async def test_a_client_that_left_is_sent_nothing() -> None:
    clients = Clients(friends())
    wire, connection = clients.join(ANN)
    clients.join(BEN)
    assert (len(clients.connections), len(list(clients.connections))) == (2, 2)
    clients.connections.leave(connection)
    clients.connections.leave(connection)
    clients.connections.send_room(clients.room, NO_PRESENCE, Moved("X", "a1", ANN.player))
    clients.connections.send_all(b"{}", "other")
    await end_of_turn()
    assert wire.written == []
    assert len(clients.connections) == 1


async def test_the_lag_of_a_player_is_the_least_of_all_connections() -> None:
    """Otherwise a second connection that answers late would give time to the first. One not yet measured does not count."""
    clients = Clients(friends())
    for person, lag_ms in ((ANN, 50), (ANN, 30), (ANN, None), (ANN, 70), (BEN, None), (None, 5)):
        clients.join(person)[1].lag_ms = lag_ms
    assert clients.connections.lag_ms() == {"p_ann": 30}


async def test_the_network_is_measured_while_a_clock_runs() -> None:
    clients = Clients(friends())
    connections = [clients.join(ANN)[1]]

    def timed() -> list[bool]:
        return [connection.timed for connection in connections]

    assert timed() == [False]
    clients.connections.set_timed(True)
    assert timed() == [True]
    clients.room = replace(clients.room, clock=MoveClock(5_000))
    connections.append(clients.join(BEN)[1])
    assert timed() == [True, True]
    clients.connections.set_timed(False)
    assert timed() == [False, False]


# --- chat ---------------------------------------------------------------------------------------------------------


def line(n: int, person: Person = ANN) -> Line:
    return Line(n, 1_000 + n, person.player, "X", f"line {n}", n)


async def test_chat_and_reactions_go_to_everybody_with_their_speaker() -> None:
    """Each is framed once."""
    clients = Clients(friends())
    wires = [clients.join(person)[0] for person in (ANN, BEN, None)]
    clients.connections.send_line(line(1))
    await end_of_turn()
    clients.connections.send_reaction(Reacted("p_ben", "Ben", "O", "👍"))
    await end_of_turn()
    assert [len({id(wire.written[n]) for wire in wires}) for n in range(2)] == [1, 1]
    ann, ben = [
        {"player": f"p_{name.lower()}", "name": name, "mark": mark} for name, mark in (("Ann", "X"), ("Ben", "O"))
    ]
    assert messages(wires[2]) == [
        {"type": "chat", "lines": [{"n": 1, "at_ms": 1_001, "from": ann, "text": "line 1", "ply": 1}]},
        {"type": "reaction", "from": ben, "emoji": "👍"},
    ]


async def test_an_older_chat_line_is_sent_without_forbidden_characters() -> None:
    """A chat line that was stored before the rule of chat lines is cleaned when it is sent."""
    stored = Line(1, 1_001, ANN.player, "X", "\x1b[2Jhello\nBen: I resign\u202e", 0)
    clients = Clients(friends(), RoomConnections(POLICY, [stored], {"p_ann": "Ann"}))
    wire, connection = clients.join(CAT)
    clients.connections.send_lines_to(connection)
    await end_of_turn()
    (message,) = messages(wire)
    assert message["lines"][0]["text"] == "\ufffd[2Jhello Ben: I resign\ufffd"


async def test_a_newcomer_is_sent_the_newest_hundred_lines() -> None:
    stored = [line(n) for n in range(1, 91)]
    clients = Clients(friends(), RoomConnections(POLICY, stored, NAMES))
    for n in range(91, 131):
        clients.connections.send_line(line(n, BEN))
    wire, connection = clients.join(CAT)
    clients.connections.send_lines_to(connection)
    await end_of_turn()
    (message,) = messages(wire)
    assert [entry["n"] for entry in message["lines"]] == list(range(131 - LINES_SENT, 131))
    assert {entry["from"]["name"] for entry in message["lines"]} == {"Ann", "Ben"}


async def test_lines_are_shown_under_a_players_newest_name() -> None:
    """A player who was deleted, or whose name is not in the store, is someone."""
    clients = Clients(
        friends(), RoomConnections(POLICY, [line(1), line(2, BEN), line(3, CAT)], {"p_ann": "Ann", "p_ben": "Ben"})
    )
    clients.connections.rename("p_ann", "Anna")
    clients.connections.rename("p_dan", "Dan")  # never chatted here
    wire, connection = clients.join(None)
    clients.connections.send_lines_to(connection)
    await end_of_turn()
    (message,) = messages(wire)
    assert [entry["from"]["name"] for entry in message["lines"]] == ["Anna", "Ben", "someone"]


async def test_lines_that_this_node_missed_are_sent_in_order() -> None:
    """Another node stored them. Lines that were sent already, and older ones, are not sent again."""
    clients = Clients(friends(), RoomConnections(POLICY, [line(5)], {"p_ann": "Ann"}))
    wire, connection = clients.join(None)
    clients.connections.send_line(line(8))
    stored = [line(n, BEN if n in (6, 7) else ANN) for n in range(3, 9)]
    clients.connections.take_names({"p_ben": "Ben"})
    clients.connections.send_missed_lines(stored)
    clients.connections.send_missed_lines(stored)
    clients.connections.send_lines_to(connection)
    await end_of_turn()
    new, missed, newest = [[(entry["n"], entry["from"]["name"]) for entry in m["lines"]] for m in messages(wire)]
    assert new == [(8, "Ann")]
    assert missed == [(6, "Ben"), (7, "Ben")]
    assert newest == [(5, "Ann"), *missed, *new]


async def test_the_address_is_the_players_or_that_of_any_client() -> None:
    room, connections, flusher = friends(), RoomConnections(POLICY), Flusher()
    assert connections.address("X") == ""
    ann = connection_to(Wire(), flusher, ANN, "192.0.2.2")
    for connection in (connection_to(Wire(), flusher, None, "192.0.2.1"), ann):
        connections.join(connection, room)
    assert connections.address("X") == "192.0.2.2"
    connections.leave(ann)
    assert [connections.address(mark) for mark in ("X", "O", None)] == ["192.0.2.1"] * 3
