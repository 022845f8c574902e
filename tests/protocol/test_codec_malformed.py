"""JSON to typed messages: no frame of a client raises anything but a rejection."""

from __future__ import annotations

import json
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.protocol.codec import MalformedCommandError, decode_command, decode_hello, encode
from noughts.protocol.messages import Hello, Rejected
from noughts.room.commands import Ping, RoomCommand, Visible
from tests.protocol.test_codec import rejection_of


def read(text: str | bytes) -> RoomCommand | Visible | Ping | MalformedCommandError:
    """Return the command, or the error with the rejection, which can always be sent."""
    try:
        return decode_command(text)
    except MalformedCommandError as error:
        malformed = error
    encode(Rejected(malformed.id, malformed.rejection.code, malformed.rejection.message))
    return malformed


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
    *[
        {"type": "move", "cell": "a1", "ply": ply}
        for ply in (-1, 1_000_001, 0.5, 1.0, "0", None, True, [0], 10**9, 10**30)
    ],
    *[
        {"type": "move", "ply": 0, "cell": cell}
        for cell in (*"a,1,1a,aa1,a1.,a1.b,a-1,a1 , a1,a1\n,ä1,a１,a1.1.1".split(","), "", 0, None, ["a1"])
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
    *[{"type": "chat", "text": f"well{code}played"} for code in "\0\t\x1b\x7f\x9b\u202e\u2066\ue000"],
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
    *[
        {"type": "mute", "player": player, "muted": True}
        for player in ("", "p_", "p_a\n", "everyone", 5, None, "p_" + "x" * 63)
    ],
    {"type": "mute", "player": "p_a", "muted": "yes"},
]


@pytest.mark.parametrize("fields", MALFORMED, ids=lambda fields: json.dumps(fields)[:60])
def test_a_malformed_field(
    fields: dict[str, Any],
) -> None:
    """A known field that is missing, of the wrong type or out of range is a bad message."""
    assert rejection_of(json.dumps({**fields, "id": "n7"})) == ("n7", "bad_message")


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
def test_json_that_only_a_lenient_parser_reads(text: str) -> None:
    """Half a surrogate pair and an endless number are rejected under the message's id."""
    assert rejection_of(text) == ("n7", "bad_message")


@pytest.mark.parametrize("depth", [10, 400, 900, 1_000, 4_000])
def test_deep_nesting(depth: int) -> None:
    """Deep nesting is ignored or rejected, and raises nothing else."""
    for inner in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for text in (
            f'{{"type":"ping","id":"1","x":{inner}}}',
            f'{{"x":{inner},"type":"ping","id":"1"}}',
            f'{{"type":"chat","id":"1","text":{inner}}}',
            f'{{"type":{inner},"id":"1"}}',
            f'{{"type":"ping","id":{inner}}}',
        ):
            outcome = read(text)
            if isinstance(outcome, MalformedCommandError):
                assert outcome.rejection.code == "bad_message"
            else:
                assert outcome == Ping("1")


LETTERS = st.sampled_from('{}[]:,"\\/ae1-. \x00\n\u00e9\u2028\U0001f604')
"""The characters that matter to JSON. A wider alphabet finds nothing more and takes longer to draw from."""


@given(st.one_of(st.text(LETTERS, max_size=60), st.binary(max_size=60)))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_text(text: str | bytes) -> None:
    """Any text or bytes are a command or a rejection, and nothing else is raised."""
    read(text)
    decode_hello(text)


KINDS: Final = tuple(str(kind.__struct_config__.tag) for kind in (*get_args(RoomCommand), Ping, Hello))
FIELDS: Final = sorted({field for kind in get_args(RoomCommand) for field in kind.__struct_fields__} - {"id"})
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


@given(
    kind=st.one_of(st.sampled_from((*KINDS, "no")), ANY_JSON),
    command_id=st.one_of(st.text(LETTERS, max_size=70), ANY_JSON),
    fields=st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, max_size=4),
    protocol=ANY_JSON,
)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_object(kind: object, command_id: object, fields: dict[str, Any], protocol: object) -> None:
    """Any JSON object is a command or a rejection under its id."""
    text = json.dumps({"type": kind, "id": command_id, "protocol": protocol, **fields})
    outcome = read(text)
    if isinstance(outcome, MalformedCommandError):
        assert outcome.id in (None, command_id)
        assert outcome.rejection.code in ("bad_message", "unknown_command")
    else:
        assert outcome.id == command_id
        assert encode(outcome)
    decode_hello(text)
