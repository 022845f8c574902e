"""The receiver of commands without a server: answers, credit, faults, the order of commands, and signs of life."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from unittest.mock import Mock

import pytest

from noughts.app.delivery.sender import Flusher
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.lobby.door import LobbyDoor
from noughts.app.rooms.door import RoomDoor
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import CHAT, CHAT_ADDRESS, MAX_MALFORMED_MESSAGES, MESSAGES, REACTIONS, Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.tasks import Tasks
from noughts.errors import Rejection
from noughts.room.commands import Request
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import LocalCoordination, Rate
from tests.support.player import Message
from tests.support.raw_websocket import TEXT, client_frame
from tests.support.wire import ADDRESS, Wire, connection_to, end_of_turn

ANN = Person("p_ann", "Ann")
BURST = int(MESSAGES.rate.burst)


def chat(command_id: str) -> str:
    return json.dumps({"type": "chat", "id": command_id, "text": "hello"})


def move(command_id: str) -> str:
    return json.dumps({"type": "move", "id": command_id, "ply": 0, "cell": "b2"})


class FakeActor:
    """A room that answers its commands as a test says, or has a bug. It counts how often the network was measured."""

    def __init__(self) -> None:
        self.broken = False
        self.answer: int | Rejection | None = None
        self.measured = 0
        self.ids: list[str] = []
        self.room, self.resend = Mock(), Mock()

    def submit(self, request: Request, key: object, reply: Any) -> None:
        if self.broken:
            raise ZeroDivisionError
        self.ids.append(request.command.id)
        if self.answer is not None:
            reply(self.answer)

    def lag_measured(self) -> None:
        self.measured += 1


class FakeCoordination(LocalCoordination):
    """Shared credit that is there or not, must be waited for, or cannot be reached."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.empty = ""
        """The limit that has no credit."""
        self.gate = asyncio.Event()
        self.gate.set()

    async def take_credit(self, limit: str, holder: str, rate: Rate) -> int:
        await self.gate.wait()
        if self.down:
            raise StoreUnavailableError("out of order")
        return 1_500 if self.empty == f"{limit}: {holder}" else 0


class Alone:
    """A receiver with its client's wire, without limits of its own."""

    def __init__(self, person: Person | None = ANN, *, in_room: bool = True) -> None:
        self.wire, self.actor, self.coordination, self.metrics = Wire(), FakeActor(), FakeCoordination(), Metrics()
        limits = Limits(self.coordination, off=False)
        self.connection = connection_to(self.wire, Flusher(), person)
        actor: Any = self.actor
        self.receiver = CommandReceiver(self.connection, limits, ServerClock(), self.metrics)
        self.connection.receiver = self.receiver
        self.receiver.text_received("the hello")
        door = RoomDoor(Mock(), actor, self.connection, limits, Tasks())
        self.receiver.begin(door if in_room else LobbyDoor(Mock(), self.connection))

    def send(self, *texts: str) -> None:
        """Send texts in one piece."""
        self.connection.data_received(b"".join(client_frame(TEXT, text.encode()) for text in texts))

    async def answer(self, *texts: str) -> Message:
        """Send texts one by one, whether or not the server reads. Return the answer to the last one."""
        for text in texts:
            self.receiver.text_received(text)
            for _ in range(2):
                await end_of_turn()
        frame = self.wire.written[-1]
        message: Message = json.loads(frame[frame.index(b"{") :])
        return message


# --- answers ------------------------------------------------------------------------------------------------------


async def test_a_command_is_answered_and_counted() -> None:
    alone = Alone()
    alone.actor.answer = 7
    assert await alone.answer('{"type":"resign","id":"1"}') == {"type": "ok", "id": "1", "version": 7}
    alone.actor.answer = Rejection("game_over", "The game is over.")
    assert (await alone.answer('{"type":"resign","id":"2"}'))["code"] == "game_over"
    await alone.answer("{}")
    metrics = alone.metrics.text().decode()
    for labels in ('answer="ok",type="resign"', 'answer="game_over",type="resign"', 'answer="bad_message",type="none"'):
        assert f"noughts_commands_total{{{labels}}} 1" in metrics


@pytest.mark.parametrize(("code", "count"), [("stale", 1), ("illegal_move", 1), ("not_your_turn", 0)])
async def test_the_room_follows_to_a_client_that_was_behind(code: Any, count: int) -> None:
    alone = Alone()
    alone.actor.answer = Rejection(code, "A sentence.")
    await alone.answer(move("1"))
    assert alone.actor.resend.call_args_list == count * [((alone.connection,),)]


@pytest.mark.parametrize(
    ("text", "command_id", "code"),
    [
        ('{"type":"move","id":"c","ply":-1,"cell":"b2"}', "c", "bad_message"),
        ('{"type":"castle","id":"c"}', "c", "unknown_command"),
        ('{"type":"move","id":7,"ply":0,"cell":"b2"}', None, "bad_message"),
        ('{"type":"chat","id":"\\ud800","text":"x"}', None, "bad_message"),
        ('{"type":"hello","protocol":1,"room":"r","id":"h"}', None, "bad_message"),
        ("nonsense", None, "bad_message"),
    ],
)
async def test_a_malformed_message_is_rejected(text: str, command_id: str | None, code: str) -> None:
    """After twenty without a valid id, the server closes the connection."""
    alone = Alone()
    answer = await alone.answer(*[text] * (MAX_MALFORMED_MESSAGES - 1))
    assert (answer["id"], answer["code"], alone.wire.close_code) == (command_id, code, None)
    alone.receiver.text_received(text)
    assert alone.wire.close_code == (4429 if command_id is None else None)
    assert alone.actor.ids == []


@pytest.mark.parametrize("text", [move("1"), chat("1")])
@pytest.mark.parametrize(
    ("person", "in_room", "code"),
    [(None, True, "unauthorized"), (None, False, "unauthorized"), (ANN, False, "forbidden")],
)
async def test_only_a_player_in_a_room_takes_part(text: str, person: Person | None, in_room: bool, code: str) -> None:
    """Everybody may ask for a pong."""
    alone = Alone(person, in_room=in_room)
    assert (await alone.answer(text))["code"] == code
    assert (await alone.answer('{"type":"ping","id":"2"}'))["type"] == "pong"


@pytest.mark.parametrize("text", [move("1"), chat("1")])
async def test_a_fault_is_logged_whole_and_sent_as_one_word(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    alone = Alone()
    alone.actor.broken = True
    answer = await alone.answer(text)
    assert (answer["id"], answer["code"]) == ("1", "internal")
    assert "ZeroDivision" not in str(answer)
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert alone.metrics.faults == 1


# --- credit -------------------------------------------------------------------------------------------------------


async def test_a_message_without_credit_says_how_long_to_wait() -> None:
    """Pings have credit of their own."""
    alone = Alone()
    answer = await alone.answer(*[move(f"{n}") for n in range(2 * BURST)])
    assert (answer["code"], 0 < answer["retry_ms"] <= 1_000) == ("rate_limited", True)
    assert BURST <= len(alone.actor.ids) < 2 * BURST
    assert (await alone.answer('{"type":"ping","id":"1"}'))["type"] == "pong"


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        (chat("1"), f"{CHAT.name}: {ANN.player}"),
        (chat("1"), f"{CHAT_ADDRESS.name}: {ADDRESS}"),
        ('{"type":"react","id":"1","emoji":"👍"}', f"{REACTIONS.name}: {ANN.player}"),
    ],
)
async def test_talk_has_credit_of_all_nodes(text: str, empty: str) -> None:
    alone = Alone()
    alone.coordination.empty = empty
    answer = await alone.answer(text)
    assert (answer["code"], answer["retry_ms"], alone.actor.ids) == ("rate_limited", 1_500, [])
    assert alone.wire.reads


async def test_shared_credit_that_is_away_makes_chat_unavailable() -> None:
    alone = Alone()
    alone.coordination.down = True
    answer = await alone.answer(chat("1"))
    assert (answer["id"], answer["code"], answer["retry_ms"]) == ("1", "unavailable", 1_000)


async def test_malformed_commands_cost_credit_and_then_the_connection() -> None:
    alone = Alone()
    for _ in range(3 * BURST):
        alone.receiver.text_received('{"type":"move","id":"c"}')
    assert alone.wire.close_code == 4429


async def test_pings_beyond_the_credit_are_not_answered() -> None:
    alone = Alone()
    for _ in range(1_000):
        alone.receiver.ping_received(b"")
    await end_of_turn()
    assert BURST <= len(alone.wire.written[0]) // 2 < BURST + 100


async def test_pongs_for_nothing_cost_credit() -> None:
    alone = Alone()
    for _ in range(2 * BURST):
        alone.receiver.pong_received(bytes(8))
    assert (await alone.answer(move("1")))["code"] == "rate_limited"


# --- the order of commands ----------------------------------------------------------------------------------------


async def test_commands_keep_their_order_behind_a_chat_line() -> None:
    """The credit of a chat line may have to be fetched. No further frame of the client is read before that."""
    alone = Alone()
    alone.coordination.gate.clear()
    alone.send(chat("1"), move("2"), chat("3"), move("4"))
    alone.send(move("5"))
    await end_of_turn()
    assert (alone.actor.ids, alone.wire.reads) == ([], False)
    alone.coordination.gate.set()
    for _ in range(5):
        await end_of_turn()
    assert (alone.actor.ids, alone.wire.reads) == (["1", "2", "3", "4", "5"], True)


@pytest.mark.parametrize("fails", ["broken", "down"])
async def test_a_chat_line_that_fails_does_not_stop_later_frames(fails: str) -> None:
    alone = Alone()
    alone.actor.broken, alone.coordination.down = fails == "broken", fails == "down"
    alone.send(chat("1"), move("2"))
    await end_of_turn()
    alone.actor.broken = False
    alone.send(move("3"))
    assert alone.actor.ids[-1] == "3"


# --- signs of life ------------------------------------------------------------------------------------------------


async def test_only_the_answer_to_our_ping_measures_the_network() -> None:
    alone = Alone()
    alone.connection.ping(0.0)
    for payload in (b"", bytes(8), b"x" * 8):
        alone.receiver.pong_received(payload)
    assert alone.actor.measured == 0
    for _ in range(2):
        alone.receiver.pong_received(alone.wire.written[0][2:])
    assert alone.actor.measured == 1


async def test_the_network_is_measured_in_the_lobby_too() -> None:
    alone = Alone(in_room=False)
    alone.connection.ping(0.0)
    alone.receiver.pong_received(alone.wire.written[0][2:])
    assert alone.connection.lag_ms


async def test_every_frame_is_a_sign_of_life() -> None:
    alone = Alone()
    for method, argument in (("text_received", "nonsense"), ("ping_received", b""), ("pong_received", b"")):
        alone.connection.received_s = 0.0
        getattr(alone.receiver, method)(argument)
        assert alone.connection.received_s > 0.0, method
