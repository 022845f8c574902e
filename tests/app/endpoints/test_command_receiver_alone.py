"""The receiver of commands without a server: faults, the order of commands behind a chat line, and signs of life."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from noughts.app.delivery.sender import Flusher
from noughts.app.endpoints.command_receiver import CommandReceiver
from noughts.app.runtime.clock import ServerClock
from noughts.app.runtime.limits import Limits
from noughts.app.runtime.metrics import Metrics
from noughts.app.runtime.tasks import Tasks
from noughts.room.commands import Request
from noughts.room.seat import Person
from noughts.store.contract import StoreUnavailableError
from noughts.store.coordination import LocalCoordination, Rate
from tests.support.player import Message
from tests.support.raw_websocket import TEXT, client_frame
from tests.support.wire import Wire, connection_to, end_of_turn

ANN = Person("p_ann", "Ann")


def chat(command_id: str) -> str:
    return json.dumps({"type": "chat", "id": command_id, "text": "hello"})


def move(command_id: str) -> str:
    return json.dumps({"type": "move", "id": command_id, "ply": 0, "cell": "b2"})


class FakeActor:
    """A room that keeps the ids of its commands, or has a bug. It counts how often the network was measured."""

    def __init__(self) -> None:
        self.broken = False
        self.measured = 0
        self.ids: list[str] = []

    def submit(self, request: Request, *arguments: object) -> None:
        if self.broken:
            raise ZeroDivisionError
        self.ids.append(request.command.id)

    def lag_measured(self) -> None:
        self.measured += 1


class FakeCoordination(LocalCoordination):
    """Shared credit that is there, must be waited for, or cannot be reached."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def take_credit(self, limit: str, holder: str, rate: Rate) -> int:
        await self.gate.wait()
        if self.down:
            raise StoreUnavailableError("out of order")
        return 0


class Alone:
    """A receiver with its client's wire, without limits of its own."""

    def __init__(self, person: Person | None = ANN, *, in_room: bool = True) -> None:
        self.wire, self.actor, self.coordination, self.metrics = Wire(), FakeActor(), FakeCoordination(), Metrics()
        limits = Limits(self.coordination, off=False)
        self.connection = connection_to(self.wire, Flusher(), person)
        actor: Any = self.actor if in_room else None
        self.receiver = CommandReceiver(self.connection, actor, limits, ServerClock(), self.metrics, Tasks())
        self.connection.receiver = self.receiver

    def send(self, *texts: str) -> None:
        """Send texts in one piece."""
        self.connection.feed_data(b"".join(client_frame(TEXT, text.encode()) for text in texts))

    async def answer(self) -> Message:
        """Return the only message so far."""
        await end_of_turn()
        await end_of_turn()
        (frame,) = self.wire.written
        message: Message = json.loads(frame[frame.index(b"{") :])
        return message


# --- rejections and faults ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [move("1"), chat("1")])
async def test_a_nameless_spectator_takes_no_part(text: str) -> None:
    alone = Alone(None)
    alone.receiver.text_received(text)
    assert (await alone.answer())["code"] == "unauthorized"


@pytest.mark.parametrize("text", [move("1"), chat("1")])
async def test_in_the_lobby_there_is_no_room(text: str) -> None:
    alone = Alone(in_room=False)
    alone.receiver.text_received(text)
    assert (await alone.answer())["code"] == "forbidden"


@pytest.mark.parametrize("text", [move("1"), chat("1")])
async def test_a_fault_is_logged_whole_and_sent_as_one_word(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    alone = Alone()
    alone.actor.broken = True
    alone.receiver.text_received(text)
    answer = await alone.answer()
    assert (answer["id"], answer["code"]) == ("1", "internal")
    assert "ZeroDivision" not in str(answer)
    assert "ZeroDivisionError" in capsys.readouterr().out
    assert alone.metrics.faults == 1


async def test_shared_credit_that_is_away_makes_chat_unavailable() -> None:
    alone = Alone()
    alone.coordination.down = True
    alone.receiver.text_received(chat("1"))
    answer = await alone.answer()
    assert (answer["id"], answer["code"], answer["retry_ms"]) == ("1", "unavailable", 1_000)


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


async def test_messages_after_our_close_frame_are_not_carried_out() -> None:
    alone = Alone()
    alone.connection.close(4410, "closed")
    alone.send(move("1"))
    await end_of_turn()
    assert (len(alone.wire.written), alone.actor.ids) == (1, [])
