"""Text to commands, or a refusal under the right id: nothing that a client can send raises anything else."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.protocol.codec import MAX_FRAME, BadCommandError, decode_command, decode_hello, encode
from noughts.protocol.messages import REACTIONS, ChatLine, Hello, Ok, Pong, Rejected, Speaker
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
)

COMMANDS: list[tuple[str, object]] = [
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
    (
        '{"type":"set","id":"1","variant":"qubic","visibility":"public","spectator_chat":"between_games",'
        '"clock":{"mode":"fischer","initial_ms":10000,"increment_ms":0}}',
        Set("1", "qubic", FischerClock(10_000, 0), "public", "between_games"),
    ),
    ('{"type":"free","id":"1","mark":"X"}', Free("1", "X")),
    ('{"type":"mute","id":"1","player":"p_abc","muted":true}', Mute("1", "p_abc", True)),
    ('{"type":"mute","id":"1","player":"spectators","muted":false}', Mute("1", "spectators", False)),
    ('{"type":"close","id":"1"}', Close("1")),
    ('{"type":"ping","id":"1"}', Ping("1")),
]


def refusal(text: str | bytes) -> tuple[str | None, str]:
    with pytest.raises(BadCommandError) as refused:
        decode_command(text)
    bad = refused.value
    assert encode(Rejected(bad.id, bad.rejection.code, bad.rejection.message))  # it can be sent
    return bad.id, bad.rejection.code


def read(text: str | bytes) -> object:
    """The command, or the refusal, which can always be sent."""
    try:
        return decode_command(text)
    except BadCommandError as bad:
        refused = bad
    encode(Rejected(refused.id, refused.rejection.code, refused.rejection.message))
    return refused


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_every_command_is_read_into_its_type(text: str, command: object) -> None:
    assert decode_command(text) == command
    assert decode_command(text.encode()) == command


@pytest.mark.parametrize(("text", "command"), COMMANDS)
def test_unknown_fields_are_ignored(text: str, command: object) -> None:
    extra = '{"of_tomorrow":{"a":[1,null,"x",1e400]},"Ply":"x","version":true,' + text[1:]
    assert decode_command(extra) == command


@pytest.mark.parametrize("emoji", REACTIONS)
def test_every_reaction_that_the_welcome_lists_is_taken(emoji: str) -> None:
    assert decode_command(json.dumps({"type": "react", "id": "1", "emoji": emoji})) == React("1", emoji)


NO_OBJECT = [
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


@pytest.mark.parametrize("text", NO_OBJECT, ids=range(len(NO_OBJECT)))
def test_what_is_no_json_object_is_rejected_without_an_id(text: str | bytes) -> None:
    assert refusal(text) == (None, "bad_message")


UNUSABLE = ["null", "1", "1.5", "true", '""', '"' + "x" * 65 + '"', "[]", "{}", '["1"]', '"\\ud800"', '"a\\udfffb"']


@pytest.mark.parametrize("command_id", UNUSABLE)
@pytest.mark.parametrize("kind", ['"ping"', '"move"', '"dance"', "null", "5"])
def test_what_has_no_usable_id_is_rejected_without_an_id(command_id: str, kind: str) -> None:
    assert refusal(f'{{"type":{kind},"id":{command_id}}}') == (None, "bad_message")
    assert refusal('{"type":"ping"}') == (None, "bad_message")


@pytest.mark.parametrize("command_id", ["x", "x" * 64, "😄" * 64, "\x00", " ", "null"])
def test_an_id_of_one_to_sixty_four_characters_is_usable(command_id: str) -> None:
    assert decode_command(json.dumps({"type": "ping", "id": command_id})) == Ping(command_id)
    assert refusal(json.dumps({"type": "chat", "id": command_id})) == (command_id, "bad_message")


@pytest.mark.parametrize("kind", ["dance", "", "Move", "MOVE", " move", "move ", "hello2", "welcome", "ok", "\\ud800"])
def test_a_type_that_does_not_exist_is_an_unknown_command(kind: str) -> None:
    assert refusal(f'{{"type":"{kind}","id":"7"}}') == ("7", "unknown_command")


@pytest.mark.parametrize("kind", ["null", "5", "true", "[]", '["move"]', '{"type":"move"}', "9" * 5_000, "1e999"])
def test_a_type_that_is_no_text_is_a_bad_message(kind: str) -> None:
    assert refusal(f'{{"type":{kind},"id":"7"}}') == ("7", "bad_message")
    assert refusal('{"id":"7"}') == ("7", "bad_message")


def test_a_second_hello_is_rejected_without_an_id() -> None:
    assert refusal('{"type":"hello","protocol":1,"room":"r"}') == (None, "bad_message")
    assert refusal('{"type":"hello","id":"1","protocol":1}') == (None, "bad_message")


MALFORMED: list[dict[str, Any]] = [
    # sit, seat_engine, free: the mark and the level
    *[{"type": kind, "mark": mark} for kind in ("sit", "free") for mark in ("x", "Z", "", None, 1, ["X"], "random")],
    {"type": "sit"},
    {"type": "sit", "mark": "X", "invite": 5},
    {"type": "sit", "mark": "X", "invite": ["a"]},
    {"type": "seat_engine", "mark": "X"},
    *[{"type": "seat_engine", "mark": "X", "level": level} for level in (None, 3, "", "godlike", "Perfect", "x" * 99)],
    # move
    {"type": "move"},
    {"type": "move", "ply": 0},
    {"type": "move", "cell": "a1"},
    *[{"type": "move", "cell": "a1", "ply": ply} for ply in (-1, 0.5, 1.0, "0", None, True, [0], 10**9, 10**30)],
    *[
        {"type": "move", "ply": 0, "cell": cell}
        for cell in (
            "",
            "a",
            "1",
            "1a",
            "aa1",
            "a1.",
            "a1.b",
            "a-1",
            "a1 ",
            " a1",
            "a1\n",
            "ä1",
            "a１",
            "a1.1.1",
            0,
            None,
            ["a1"],
        )
    ],
    *[{"type": "move", "ply": 0, "cell": "a1", "game": game} for game in (-1, 1.5, "1", True, 10**30)],
    # offer, answer, claim, resign
    *[{"type": "offer", "what": what} for what in ("win", "Draw", "", None, 1)],
    {"type": "offer"},
    {"type": "answer", "what": "draw"},
    *[{"type": "answer", "what": "draw", "accept": accept} for accept in (1, 0, "true", None)],
    *[{"type": "claim", "what": what} for what in ("loss", "takeback", None)],
    {"type": "resign", "game": "1"},
    # chat, react
    {"type": "chat"},
    *[{"type": "chat", "text": text} for text in ("", "x" * 281, "😄" * 281, None, 5, ["x"])],
    *[{"type": "react", "emoji": emoji} for emoji in ("", "x", "👍👍", "🦄", None, 5)],
    # set, mute
    *[{"type": "set", "variant": variant} for variant in ("chess", "", "Classic", 3)],
    *[{"type": "set", "visibility": visibility} for visibility in ("secret", "", 1)],
    *[{"type": "set", "spectator_chat": chat} for chat in ("never", True)],
    *[
        {"type": "set", "clock": clock}
        for clock in (
            5,
            "move",
            {},
            {"mode": "none"},
            {"mode": "move"},
            {"mode": "move", "move_ms": 2_999},
            {"mode": "move", "move_ms": 86_400_001},
            {"mode": "move", "move_ms": 3_000.5},
            {"mode": "fischer", "initial_ms": 10_000},
            {"mode": "fischer", "initial_ms": 9_999, "increment_ms": 0},
            {"mode": "fischer", "initial_ms": 10_800_001, "increment_ms": 0},
            {"mode": "fischer", "initial_ms": 10_000, "increment_ms": -1},
            {"mode": "fischer", "initial_ms": 10_000, "increment_ms": 60_001},
        )
    ],
    {"type": "mute", "player": "p_a"},
    *[{"type": "mute", "player": player, "muted": True} for player in ("", "p_", "everyone", 5, None, "p_" + "x" * 63)],
    {"type": "mute", "player": "p_a", "muted": "yes"},
]


@pytest.mark.parametrize("fields", MALFORMED, ids=lambda fields: json.dumps(fields)[:60])
def test_a_known_field_that_is_missing_of_the_wrong_type_or_out_of_range_is_a_bad_message(
    fields: dict[str, Any],
) -> None:
    assert refusal(json.dumps({**fields, "id": "n7"})) == ("n7", "bad_message")


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"chat","id":"n7","text":"\\ud800"}',
        '{"type":"chat","id":"n7","text":"a\\udc00\\ud800b"}',
        '{"type":"sit","id":"n7","mark":"X","invite":"\\udfff"}',
        '{"type":"move","id":"n7","ply":0,"cell":"\\ud800"}',
        '{"type":"move","id":"n7","ply":' + "9" * 5_000 + ',"cell":"a1"}',
        '{"type":"move","id":"n7","ply":1e400,"cell":"a1"}',
        '{"type":"ping","id":"n7","x":"\\ud800"}',
    ],
)
def test_half_a_surrogate_pair_and_a_number_without_end_are_answered_under_their_id(text: str) -> None:
    assert refusal(text) == ("n7", "bad_message")


@pytest.mark.parametrize("depth", [10, 400, 900, 1_000, 4_000])
def test_deep_nesting_is_ignored_or_refused_and_never_more(depth: int) -> None:
    for inner in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for text in (
            f'{{"type":"ping","id":"1","x":{inner}}}',
            f'{{"x":{inner},"type":"ping","id":"1"}}',
            f'{{"type":"chat","id":"1","text":{inner}}}',
            f'{{"type":{inner},"id":"1"}}',
            f'{{"type":"ping","id":{inner}}}',
        ):
            answer = read(text)
            assert answer == Ping("1") or answer.rejection.code == "bad_message"  # type: ignore[attr-defined]


@pytest.mark.parametrize("cell", ["a1", "z9", "A1", "o15", "d4.4", "a0", "a01", "a999", "a1.0", "a" + "9" * 500])
def test_a_letter_and_a_number_is_a_cell_which_some_board_may_lack(cell: str) -> None:
    assert decode_command(json.dumps({"type": "move", "id": "1", "ply": 0, "cell": cell})) == Move("1", 0, cell)


LETTERS = st.sampled_from('{}[]:,"\\/ae1-. \x00\n\u00e9\u2028\U0001f604')
"""Few, but those that JSON cares about; a wide alphabet finds nothing more and takes longer to draw from."""


@given(st.one_of(st.text(LETTERS, max_size=60), st.binary(max_size=60)))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_any_text_is_a_command_or_a_refusal(text: str | bytes) -> None:
    read(text)
    decode_hello(text)


FIELDS = (
    "mark",
    "invite",
    "ply",
    "cell",
    "game",
    "what",
    "accept",
    "level",
    "text",
    "emoji",
    "variant",
    "clock",
    "player",
    "muted",
)
ANY_JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(LETTERS, max_size=20),
        st.sampled_from(
            ["X", "O", "a1", "draw", "rematch", "p_a", "👍", "classic", "perfect", "move", "public", "\ud800"]
        ),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3)),
    max_leaves=4,
)
KINDS = (
    "sit",
    "stand",
    "move",
    "resign",
    "offer",
    "answer",
    "claim",
    "seat_engine",
    "chat",
    "react",
    "set",
    "free",
    "mute",
    "close",
    "ping",
    "hello",
    "no",
)


@given(
    kind=st.one_of(st.sampled_from(KINDS), ANY_JSON),
    command_id=st.one_of(st.text(LETTERS, max_size=70), ANY_JSON),
    fields=st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, max_size=4),
    protocol=ANY_JSON,
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_object_is_a_command_or_a_refusal_under_its_id(
    kind: object, command_id: object, fields: dict[str, Any], protocol: object
) -> None:
    text = json.dumps({"type": kind, "id": command_id, "protocol": protocol, **fields})
    answer = read(text)
    if isinstance(answer, BadCommandError):
        assert answer.id in (None, command_id)
        assert answer.rejection.code in ("bad_message", "unknown_command")
    else:
        assert answer.id == command_id  # type: ignore[attr-defined]
        assert encode(answer)
    decode_hello(text)


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
def test_a_hello_names_a_room_or_the_lobby(text: str, hello: Hello) -> None:
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
def test_anything_else_is_no_hello(text: str | bytes) -> None:
    assert decode_hello(text) is None


def test_the_answers_have_exactly_their_fields() -> None:
    assert json.loads(encode(Ok("1", 12))) == {"type": "ok", "id": "1", "version": 12}
    assert json.loads(encode(Pong("1", 5))) == {"type": "pong", "id": "1", "now_ms": 5}
    assert json.loads(encode(Rejected(None, "bad_message", "No."))) == {
        "type": "rejected",
        "id": None,
        "code": "bad_message",
        "message": "No.",
    }
    assert json.loads(encode(Rejected("1", "rate_limited", "Wait.", 900)))["retry_ms"] == 900
    line = ChatLine(1, 5, Speaker("p_a", "Ada", "X"), "hello", 3)
    assert json.loads(encode(line)) == {
        "n": 1,
        "at_ms": 5,
        "from": {"player": "p_a", "name": "Ada", "mark": "X"},
        "text": "hello",
        "ply": 3,
    }


def test_the_longest_chat_line_fits_in_a_frame() -> None:
    assert len(encode(Chat("x" * 64, "😄" * 280))) < MAX_FRAME
    assert len(json.dumps(msgspec.to_builtins(Chat("x" * 64, "😄" * 280)))) < MAX_FRAME
