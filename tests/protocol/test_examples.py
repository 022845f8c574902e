"""The examples of both documents: they fit their schemas, and a server answers them as described."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from noughts.protocol import asyncapi, openapi
from noughts.protocol.asyncapi import COMMANDS, MESSAGES
from noughts.protocol.codec import encode
from noughts.protocol.examples import ANN, INVITE, STORY, codes, examples, json_examples, played_story
from noughts.protocol.messages import Hello, Ok, Rejected
from noughts.room.commands import Ping
from tests.support.documents import validator
from tests.support.player import Message, Socket, connect, enter, friends_room, guest
from tests.support.server import RunningServer

SOCKET: Final[dict[str, Any]] = json.loads(bytes(asyncapi.document()))
HTTP: Final[dict[str, Any]] = json.loads(bytes(openapi.document()))
NAMES: Final = {str(kind.__struct_config__.tag): kind.__name__ for kind in MESSAGES}
JSON: Final = "application/json"


def contents() -> Iterator[dict[str, Any]]:
    """Yield every body of a request or response of HTTP that is JSON of a type."""
    for path in HTTP["paths"].values():
        for operation in path.values():
            for each in (operation.get("requestBody", {}), *operation["responses"].values()):
                content = each.get("content", {}).get(JSON)
                if content is not None and "$ref" in json.dumps(content["schema"]):
                    yield content
    for response in HTTP["components"]["responses"].values():
        yield response["content"][JSON]


def test_every_message_has_a_valid_example() -> None:
    """Messages of both directions fit their schemas."""
    for kind in (Hello, *COMMANDS, *MESSAGES):
        described = SOCKET["components"]["messages"][kind.__name__]["examples"]
        assert [each["payload"] for each in described] == json_examples(kind)
        assert described, kind.__name__
        for example in described:
            assert list(validator(SOCKET, kind.__name__).iter_errors(example["payload"])) == []


def test_every_body_of_http_has_a_valid_example() -> None:
    """Bodies of requests, answers and rejections fit their schemas."""
    for content in contents():
        assert content["examples"], content["schema"]
        names = [each["$ref"].rpartition("/")[2] for each in content["schema"].get("anyOf", [])]
        names = names or [json.dumps(content["schema"]).partition("/schemas/")[2].partition('"')[0]]
        for example in content["examples"].values():
            assert validator(HTTP, *names).is_valid(example["value"]), (names, example)


def test_a_command_says_how_it_is_answered() -> None:
    """The answer to a command is in the summary of its example, and the answer to no other message."""
    messages = SOCKET["components"]["messages"]
    summaries = [each["summary"] for each in messages["Move"]["examples"]]
    assert summaries == ["The server answers `ok`.", "The server rejects it with `stale`."]
    assert set(codes()) == {*COMMANDS} - {Ping}
    assert "summary" not in messages["Ok"]["examples"][0]


def test_each_turn_of_the_story_has_the_answer_that_it_claims() -> None:
    """The state machine agrees with the table."""
    answers = [each for each in played_story().messages if isinstance(each, Ok | Rejected)]
    assert [each.id for each in answers] == [turn.command.id for turn in STORY]
    assert [each.code if isinstance(each, Rejected) else None for each in answers] == [turn.code for turn in STORY]
    assert examples()[Ok] == tuple(each for each in answers if isinstance(each, Ok))[:2]
    assert played_story().waiting.invite == INVITE


async def answer_to(socket: Socket, command_id: str) -> Message:
    return await socket.until(lambda message: message.get("id") == command_id)


async def test_a_server_answers_the_examples_as_described(server: RunningServer) -> None:
    """Each command gets the very answer of its example, and all that the server sends fits the document."""
    ann, ben = await guest(server.url, "Ann"), await guest(server.url, "Ben")
    room = await friends_room(server, ann)
    async with enter(server, room["room"]["id"], ann) as x, enter(server, room["room"]["id"], ben) as o:
        answers = iter([each for each in played_story().messages if isinstance(each, Ok | Rejected)])
        for turn in STORY:
            socket = x if turn.by == ANN else o
            text = encode(turn.command).decode().replace(INVITE, room["invite"])
            await socket.send(text)
            assert await answer_to(socket, turn.command.id) == msgspec.json.decode(encode(next(answers))), turn
            if turn is STORY[-2]:
                for ping in json_examples(Ping):
                    await socket.send(json.dumps(ping))
                    await answer_to(socket, ping["id"])
    async with connect(server.ws_url, {"lobby": True}) as lobby:
        await lobby.until(lambda message: message["type"] == "lobby")
    received = [*x.seen, *o.seen, *lobby.seen]
    for message in received:
        assert list(validator(SOCKET, NAMES[message["type"]]).iter_errors(message)) == [], message
    assert {message["type"] for message in received} == set(NAMES)
