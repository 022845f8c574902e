"""JSON to typed messages: every command, the ids, and the hello. Anything else is a rejection that can be sent."""

from __future__ import annotations

import json

import msgspec
import pytest

from noughts.app.runtime.limits import MAX_FRAME
from noughts.protocol.codec import MalformedCommandError, decode_command, decode_hello, encode
from noughts.protocol.messages import Hello, Rejected
from noughts.room.clock import FischerClock, MoveClock
from noughts.room.commands import (
    Answer,
    Chat,
    Claim,
    Close,
    Free,
    Move,
    Mute,
    Offer,
    Ping,
    React,
    Resign,
    SeatEngine,
    Set,
    Sit,
    Stand,
    Visible,
)

COMMANDS: list[tuple[str, object]] = [
    ('{"type":"chat","id":"1","text":"one\\ntwo\\r\\nthree\\u2028four"}', Chat("1", "one two three four")),
    ('{"type":"sit","id":"1","mark":"X"}', Sit("1", "X")),
    ('{"type":"sit","id":"1","mark":"O","invite":"abc"}', Sit("1", "O", "abc")),
    ('{"type":"stand","id":"1"}', Stand("1")),
    ('{"type":"move","id":"1","ply":0,"cell":"b2"}', Move("1", 0, "b2")),
    ('{"type":"move","id":"1","game":3,"ply":7,"cell":"b2.3"}', Move("1", 7, "b2.3", 3)),
    ('{"type":"move","id":"1","game":null,"ply":7,"cell":"o15"}', Move("1", 7, "o15")),
    ('{"type":"resign","id":"1"}', Resign("1")),
    ('{"type":"offer","id":"1","what":"takeback","game":2}', Offer("1", "takeback", 2)),
    ('{"type":"answer","id":"1","what":"rematch","accept":true}', Answer("1", "rematch", True)),
    ('{"type":"claim","id":"1","what":"draw"}', Claim("1", "draw")),
    ('{"type":"seat_engine","id":"1","mark":"O","level":"perfect"}', SeatEngine("1", "O", "perfect")),
    ('{"type":"chat","id":"1","text":"h\\u00e9 \\ud83d\\ude04"}', Chat("1", "hé 😄")),
    ('{"type":"react","id":"1","emoji":"👍"}', React("1", "👍")),
    ('{"type":"set","id":"1"}', Set("1")),
    ('{"type":"set","id":"1","clock":null}', Set("1", clock=None)),
    ('{"type":"set","id":"1","clock":{"mode":"move","move_ms":3000}}', Set("1", clock=MoveClock(3_000))),
    ('{"type":"set","id":"1","clock":{"mode":"move","move_ms":86400000}}', Set("1", clock=MoveClock(86_400_000))),
    (
        '{"type":"set","id":"1","clock":{"mode":"fischer","initial_ms":10800000,"increment_ms":60000}}',
        Set("1", clock=FischerClock(10_800_000, 60_000)),
    ),
    (
        '{"type":"set","id":"1","variant":"qubic","visibility":"public","spectator_chat":"between_games",'
        '"clock":{"mode":"fischer","initial_ms":10000,"increment_ms":0}}',
        Set("1", "qubic", FischerClock(10_000, 0), "public", "between_games"),
    ),
    ('{"type":"free","id":"1","mark":"X"}', Free("1", "X")),
    ('{"type":"mute","id":"1","player":"p_abc","muted":true}', Mute("1", "p_abc", True)),
    ('{"type":"mute","id":"1","player":"spectators","muted":false}', Mute("1", "spectators", False)),
    ('{"type":"close","id":"1"}', Close("1")),
    ('{"type":"visible","id":"1","visible":false}', Visible("1", False)),
    ('{"type":"ping","id":"1"}', Ping("1")),
    ('{"type":"move","id":"1","ply":0,"cell":"a01"}', Move("1", 0, "a01")),  # of a board that may not exist
]


def rejection_of(text: str | bytes) -> tuple[str | None, str]:
    """Return the id and the code with which a frame is rejected."""
    with pytest.raises(MalformedCommandError) as error:
        decode_command(text)
    malformed = error.value
    assert encode(Rejected(malformed.id, malformed.rejection.code, malformed.rejection.message))  # it can be sent
    return malformed.id, malformed.rejection.code


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_every_command(text: str, command: object) -> None:
    """Every command is read into its type, from text and from bytes."""
    assert decode_command(text) == command
    assert decode_command(text.encode()) == command


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_unknown_fields(text: str, command: object) -> None:
    """Unknown fields are ignored, whatever their values."""
    extra = '{"of_tomorrow":{"a":[1,null,"x",1e400]},"Ply":"x","version":true,' + text[1:]
    assert decode_command(extra) == command


NOT_OBJECTS = [
    "",
    " ",
    "x",
    "{",
    "[]",
    "5",
    "null",
    "true",
    '"ping"',
    '["ping"]',
    "[" * 8_000,
    '{"a":' * 1_500,
    '{"type":"ping","id":"1"',
    '{"type":"ping","id":"1"}}',
    '{"type":"ping","id":"1"} {"type":"ping","id":"2"}',
    '{type:"ping",id:"1"}',
    "{'type':'ping','id':'1'}",
    '{"type":"ping","id":"1",}',
    '{"type":"ping","id":"1","x":NaN}',
    '{"type":"ping","id":"1","x":-Infinity}',
    '{"type":"ping","id":"1","x":01}',
    '\ufeff{"type":"ping","id":"1"}',
    b"\xff\xfe",
    b'{"type":"ping","id":"\xff"}',
    b'{"type":"ping","id":"\xed\xa0\x80"}',
    '{"type":"ping","id":"1"}'.encode("utf-16"),
]


@pytest.mark.parametrize("text", NOT_OBJECTS, ids=range(len(NOT_OBJECTS)))
def test_frames_that_are_no_json_object(text: str | bytes) -> None:
    """A frame that is not one JSON object is rejected without an id."""
    assert rejection_of(text) == (None, "bad_message")


BAD_IDS = ["null", "1", "1.5", "true", '""', '"' + "x" * 65 + '"', "[]", "{}", '["1"]', '"\\ud800"', '"a\\udfffb"']


@pytest.mark.parametrize("command_id", BAD_IDS)
@pytest.mark.parametrize("kind", ['"ping"', '"move"', '"dance"', "null", "5"])
def test_a_bad_id(command_id: str, kind: str) -> None:
    """A message without a valid id is rejected without one, whatever its type."""
    assert rejection_of(f'{{"type":{kind},"id":{command_id}}}') == (None, "bad_message")
    assert rejection_of('{"type":"ping"}') == (None, "bad_message")


@pytest.mark.parametrize("command_id", ["x", "x" * 64, "😄" * 64, "\x00", " ", "null"])
def test_a_good_id(command_id: str) -> None:
    """An id is any text of 1 to 64 characters, and a rejection carries it."""
    assert decode_command(json.dumps({"type": "ping", "id": command_id})) == Ping(command_id)
    assert rejection_of(json.dumps({"type": "chat", "id": command_id})) == (command_id, "bad_message")


@pytest.mark.parametrize("kind", ["dance", "", "Move", "MOVE", " move", "move ", "hello2", "welcome", "ok", "\\ud800"])
def test_an_unknown_type(kind: str) -> None:
    """A type that does not exist is an unknown command."""
    assert rejection_of(f'{{"type":"{kind}","id":"7"}}') == ("7", "unknown_command")


@pytest.mark.parametrize("kind", ["null", "5", "true", "[]", '["move"]', '{"type":"move"}', "9" * 5_000, "1e999"])
def test_a_type_that_is_not_text(kind: str) -> None:
    """A type that is not text, or missing, is a bad message."""
    assert rejection_of(f'{{"type":{kind},"id":"7"}}') == ("7", "bad_message")
    assert rejection_of('{"id":"7"}') == ("7", "bad_message")


def test_a_second_hello() -> None:
    """A hello after the first is rejected without an id."""
    assert rejection_of('{"type":"hello","protocol":1,"room":"r"}') == (None, "bad_message")
    assert rejection_of('{"type":"hello","id":"1","protocol":1}') == (None, "bad_message")


@pytest.mark.parametrize(
    ("text", "hello"),
    [
        ('{"type":"hello","protocol":1,"room":"r"}', Hello(1, "r")),
        ('{"type":"hello","protocol":1,"room":"r","token":"t"}', Hello(1, "r", "t")),
        ('{"type":"hello","protocol":1,"room":"r","token":""}', Hello(1, "r", "")),
        ('{"type":"hello","protocol":1,"room":"r","token":null}', Hello(1, "r")),
        ('{"type":"hello","protocol":1,"lobby":true,"x":{}}', Hello(1, lobby=True)),
        ('{"type":"hello","protocol":2,"room":"r"}', Hello(2, "r")),
    ],
)
def test_a_hello(text: str, hello: Hello) -> None:
    """A hello names a room, with or without a token, or the lobby."""
    assert decode_hello(text) == hello


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[" * 8_000,
        '{"type":"ping","id":"1"}',
        '{"type":"hello"}',
        '{"type":"hello","protocol":"1","room":"r"}',
        '{"type":"hello","protocol":1,"room":5}',
        '{"type":"hello","protocol":1,"room":"r","token":5}',
        '{"type":"hello","protocol":1,"lobby":"yes"}',
        '{"type":"hello","protocol":1,"room":"\\ud800"}',
        b"\xff",
    ],
)
def test_frames_that_are_no_hello(text: str | bytes) -> None:
    """Anything else is not a hello."""
    assert decode_hello(text) is None


def test_the_longest_chat_line() -> None:
    """The longest chat line fits in a frame, with and without escapes."""
    assert len(encode(Chat("x" * 64, "😄" * 280))) < MAX_FRAME
    assert len(json.dumps(msgspec.to_builtins(Chat("x" * 64, "😄" * 280)))) < MAX_FRAME
