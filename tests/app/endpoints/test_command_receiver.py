"""A client's messages after its hello: ids, malformed messages, credit, Pings, and faults of ours."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
import websockets

from noughts.app.runtime.limits import CHAT, CHAT_ADDRESS, MESSAGES, PINGS, REACTIONS
from noughts.protocol.codec import MAX_FRAME
from noughts.store.coordination import Rate
from tests.support.local_server import LocalServer, local_server
from tests.support.player import Api, Message, Socket, connect, enter
from tests.support.raw_websocket import LOBBY_HELLO, PING, PONG, TEXT, client_frame, handshake
from tests.support.rooms import pair

# --- malformed messages -------------------------------------------------------------------------------------------

MALFORMED: list[Message] = [
    {"id": "c"},
    {"type": None, "id": "c"},
    {"type": 5, "id": "c"},
    {"type": "move", "id": "c", "cell": "b2"},
    {"type": "move", "id": "c", "ply": 0},
    {"type": "move", "id": "c", "ply": "0", "cell": "b2"},
    {"type": "move", "id": "c", "ply": 0.5, "cell": "b2"},
    {"type": "move", "id": "c", "ply": True, "cell": "b2"},
    {"type": "move", "id": "c", "ply": -1, "cell": "b2"},
    {"type": "move", "id": "c", "ply": 10**30, "cell": "b2"},
    {"type": "move", "id": "c", "ply": 0, "cell": 4},
    {"type": "move", "id": "c", "ply": 0, "cell": ""},
    {"type": "move", "id": "c", "ply": 0, "cell": "2b"},
    {"type": "move", "id": "c", "ply": 0, "cell": "b2."},
    {"type": "move", "id": "c", "ply": 0, "cell": "b2\n"},
    {"type": "move", "id": "c", "ply": 0, "cell": "b٢"},
    {"type": "move", "id": "c", "ply": 0, "cell": ["b2"]},
    {"type": "move", "id": "c", "game": "1", "ply": 0, "cell": "b2"},
    {"type": "sit", "id": "c", "mark": "Z"},
    {"type": "sit", "id": "c", "mark": "x"},
    {"type": "sit", "id": "c"},
    {"type": "sit", "id": "c", "mark": "O", "invite": 5},
    {"type": "offer", "id": "c", "what": "tea"},
    {"type": "answer", "id": "c", "what": "draw"},
    {"type": "answer", "id": "c", "what": "draw", "accept": "yes"},
    {"type": "claim", "id": "c", "what": "takeback"},
    {"type": "seat_engine", "id": "c", "mark": "O", "level": "godlike"},
    {"type": "chat", "id": "c", "text": ""},
    {"type": "chat", "id": "c", "text": "x" * 281},
    {"type": "chat", "id": "c", "text": None},
    {"type": "react", "id": "c", "emoji": "💣"},
    {"type": "set", "id": "c", "variant": "chess"},
    {"type": "set", "id": "c", "clock": {"mode": "move", "move_ms": 1}},
    {"type": "set", "id": "c", "visibility": "secret"},
    {"type": "set", "id": "c", "spectator_chat": True},
    {"type": "free", "id": "c", "mark": "spectators"},
    {"type": "mute", "id": "c", "player": "Ben", "muted": True},
    {"type": "mute", "id": "c", "player": "spectators"},
]
UNKNOWN: list[Message] = [
    {"type": "castle", "id": "c"},
    {"type": "Move", "id": "c", "ply": 0, "cell": "b2"},
    {"type": "welcome", "id": "c"},
]
WITHOUT_ID: list[Message] = [
    {"type": "move"},
    {"type": "move", "id": "", "ply": 0, "cell": "b2"},
    {"type": "move", "id": "x" * 65, "ply": 0, "cell": "b2"},
    {"type": "move", "id": 7, "ply": 0, "cell": "b2"},
    {"type": "move", "id": None, "ply": 0, "cell": "b2"},
]
NO_OBJECTS = ["", " ", "hello", "{", "[]", "[1,2]", '"text"', "null", "7", "{}", '{"a":}', "\x00", '{"id":"c"', "NaN"]


async def answer_to(client: Socket, message: object) -> tuple[str | None, str]:
    """Send a message that is rejected. Return id and code."""
    await client.send(message)
    answer = await client.until(lambda m: m["type"] == "rejected")
    return answer["id"], answer["code"]


async def test_malformed_commands_are_rejected_and_change_nothing(server: LocalServer) -> None:
    """There are more than twenty of them, and the connection goes on: they have an id."""
    async with pair(server) as game:
        before = await game.view()
        for message in MALFORMED:
            assert await answer_to(game.x, message) == ("c", "bad_message"), message
        for message in UNKNOWN:
            assert await answer_to(game.x, message) == ("c", "unknown_command"), message
        assert await game.view() == before
        await game.x.move("b2")


async def test_a_message_without_a_valid_id_is_rejected_without_one(server: LocalServer) -> None:
    async with pair(server) as game:
        before = await game.view()
        messages: list[object] = [*WITHOUT_ID, *NO_OBJECTS]
        assert len(messages) < 20
        for message in messages:
            assert await answer_to(game.x, message) == (None, "bad_message"), message
        assert await game.view() == before
        await game.x.move("b2")


@pytest.mark.parametrize("text", ["nonsense", '{"type":"move","ply":0,"cell":"b2"}', '{"type":"hello","protocol":1}'])
async def test_twenty_of_those_close_the_connection(server: LocalServer, text: str) -> None:
    """The count is the connection's, not the player's."""
    async with pair(server) as game:
        before = await game.view()
        for _ in range(20):
            await game.x.send(text)
        assert await game.x.closed() == 4429
        assert [message["code"] for message in game.x.seen if message["type"] == "rejected"] == ["bad_message"] * 20
        assert await game.view() == before
        async with enter(server, game.id, game.ann) as again:
            await again.move("b2")


async def test_half_a_surrogate_pair_is_malformed(server: LocalServer) -> None:
    async with pair(server) as game:
        before = await game.view()
        for text in ('{"type":"chat","id":"c","text":"\\ud800"}', '{"type":"chat","id":"c","text":"a\\udc00b"}'):
            assert await answer_to(game.x, text) == ("c", "bad_message")
        assert await answer_to(game.x, '{"type":"chat","id":"\\ud800","text":"x"}') == (None, "bad_message")
        assert await game.view() == before
        await game.x.ok("chat", text="\\ud800 👩‍👧 \U0010ffff")  # as text it is fine
        line = (await game.o.until(lambda m: m["type"] == "chat" and m["lines"]))["lines"][-1]
        assert line["text"] == "\\ud800 👩‍👧 \U0010ffff"


async def test_a_message_may_have_exactly_8_kib(server: LocalServer) -> None:
    async with pair(server) as game:
        message = {"type": "chat", "id": "c", "text": "just so", "unknown": ""}
        message["unknown"] = "x" * (8_192 - len(json.dumps(message)))
        assert len(json.dumps(message)) == MAX_FRAME
        await game.x.send(message)
        assert (await game.x.until(lambda m: m.get("id") == "c"))["type"] == "ok"
        message["unknown"] += "x"
        await game.x.send(message)
        assert await game.x.closed() == 1009
        assert (await game.view())["phase"] == "playing"


# --- credit -------------------------------------------------------------------------------------------------------


async def test_messages_have_credit_and_say_how_long_to_wait(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as server, pair(server) as game:
        burst = int(MESSAGES.rate.burst)
        for n in range(2 * burst):
            await game.x.send({"type": "stand", "id": f"s{n}"})
        codes: list[str] = []
        while len(codes) < 2 * burst:
            message = await game.x.until(lambda m: m["type"] == "rejected")
            codes.append(message["code"])
            assert (message["code"] == "rate_limited") == (message.get("retry_ms") is not None)
        assert codes[: burst - 2] == ["forbidden"] * (burst - 2)
        assert codes[-1] == "rate_limited"
        assert (await game.x.ask("ping"))["type"] == "pong"  # pings have credit of their own
        for n in range(2 * int(PINGS.rate.burst)):
            await game.x.send({"type": "ping", "id": f"p{n}"})
        answer = await game.x.until(lambda m: m.get("id") == f"p{2 * int(PINGS.rate.burst) - 1}")
        assert answer["code"] == "rate_limited"
        await game.o.ok("chat", text="unaffected")


async def test_chat_and_reactions_are_limited_for_each_player(tmp_path: Path) -> None:
    """A second connection of the player has no credit of its own."""
    async with local_server(tmp_path, limits=True) as server, pair(server) as game:
        for _ in range(int(CHAT.rate.burst)):
            await game.x.ok("chat", text="again")
        async with enter(server, game.id, game.ann) as second:
            answer = await second.ask("chat", text="again")
            assert answer["code"] == "rate_limited"
            assert 0 < answer["retry_ms"] <= 2_000
        codes = [(await game.x.ask("react", emoji="👍"))["type"] for _ in range(int(REACTIONS.rate.burst) + 1)]
        assert codes == ["ok"] * int(REACTIONS.rate.burst) + ["rejected"]
        await game.o.ok("chat", text="mine is my own")


async def test_chat_is_limited_for_each_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many players of one address have no more than its credit together."""
    few = CHAT_ADDRESS._replace(rate=Rate(3, 0.01))
    monkeypatch.setattr("noughts.app.endpoints.command_receiver.CHAT_ADDRESS", few)
    async with local_server(tmp_path, limits=True) as server, pair(server) as game:
        answers = [await socket.ask("chat", text="hello") for socket in (game.x, game.o, game.x, game.o)]
    assert [answer["type"] for answer in answers] == ["ok", "ok", "ok", "rejected"]
    assert (answers[3]["code"], answers[3]["retry_ms"] > 60_000) == ("rate_limited", True)


async def test_malformed_commands_cost_credit_and_then_the_connection(tmp_path: Path) -> None:
    async with local_server(tmp_path, limits=True) as server, pair(server) as game:
        for n in range(int(MESSAGES.rate.burst)):
            await game.x.send({"type": "move", "id": f"m{n}"})
        assert await game.x.rejected("move") == "bad_message"
        with suppress(websockets.ConnectionClosed):  # it may close before all are sent
            for n in range(500):
                await game.x.send({"type": "move", "id": f"more{n}"})
        assert await game.x.closed() == 4429


@pytest.mark.parametrize("greeted", [False, True])
async def test_pings_beyond_the_credit_are_not_answered(tmp_path: Path, greeted: bool) -> None:
    """Before the hello and after it. Without limits, every Ping is answered."""
    for limits in (True, False):
        async with local_server(tmp_path / f"{limits}", limits=limits) as server, handshake(server) as client:
            if greeted:
                client.writer.write(client_frame(TEXT, LOBBY_HELLO))
            client.writer.write(b"".join(client_frame(PING, b"%d" % n) for n in range(1_000)))
            client.writer.write(client_frame(TEXT, b'{"type":"ping","id":"end"}' if greeted else b"no hello"))
            pongs = 0
            while True:
                opcode, payload = await client.frame()
                pongs += opcode == PONG
                if opcode not in (PONG, TEXT) or b'"pong"' in payload or b'"end"' in payload:
                    break
            assert pongs == 1_000 if not limits else MESSAGES.rate.burst <= pongs < MESSAGES.rate.burst + 100


async def test_pongs_for_nothing_cost_credit(tmp_path: Path) -> None:
    """They measure nothing either: only the answer to our own Ping does."""
    async with local_server(tmp_path, limits=True) as server, handshake(server) as client:
        client.writer.write(client_frame(TEXT, LOBBY_HELLO))
        client.writer.write(b"".join(client_frame(PONG, bytes(8)) for _ in range(100)))
        client.writer.write(client_frame(TEXT, b'{"type":"chat","id":"1","text":"x"}'))
        while b'"id":"1"' not in (payload := await client.until_frame(TEXT)):
            pass
        assert b"rate_limited" in payload


async def test_commands_are_counted_by_type_and_answer(server: LocalServer) -> None:
    async def count(labels: str) -> float:
        _, text = await Api(server.url).call("GET", "/metrics")
        lines = [line for line in text.splitlines() if line.startswith(f"noughts_commands_total{{{labels}}}")]
        return float(lines[0].split()[1]) if lines else 0.0

    labels = {
        "accepted": 'answer="ok",type="resign"',
        "rejected": 'answer="game_over",type="resign"',
        "malformed": 'answer="bad_message",type="none"',
    }
    before = {name: await count(text) for name, text in labels.items()}
    async with pair(server) as game:
        await game.x.ok("resign")
        await game.x.rejected("resign")
        await game.x.rejected("move", ply="none")
    async with connect(server.ws_url, {"lobby": True}) as client:
        await client.receive()
    for name, text in labels.items():
        assert await count(text) >= before[name] + 1, name
