"""Messages of clients, changed at random: single bytes, values, names, lengths and the form of the JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, Final

from noughts.app.runtime.limits import MAX_FRAME

MESSAGES: Final[tuple[dict[str, Any], ...]] = (
    {"type": "ping"},
    {"type": "sit", "mark": "O", "invite": "secret"},
    {"type": "stand"},
    {"type": "move", "ply": 0, "cell": "b2", "game": 1},
    {"type": "resign", "game": 1},
    {"type": "offer", "what": "draw", "game": 1},
    {"type": "offer", "what": "rematch"},
    {"type": "answer", "what": "takeback", "accept": True},
    {"type": "claim", "what": "win"},
    {"type": "seat_engine", "mark": "O", "level": "novice"},
    {"type": "chat", "text": "hello"},
    {"type": "react", "emoji": "👍"},
    {"type": "set", "variant": "misere", "clock": {"mode": "fischer", "initial_ms": 60_000, "increment_ms": 1_000}},
    {"type": "set", "clock": {"mode": "move", "move_ms": 5_000}, "visibility": "public", "spectator_chat": "off"},
    {"type": "free", "mark": "O"},
    {"type": "mute", "player": "spectators", "muted": False},
    {"type": "hello", "protocol": 1, "lobby": True},
)
"""One message of each type. ``close`` is not among them: it would end the room."""
ODD: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 0.5, 1e308, -0.0, 2**31, 2**53, 2**63, 2**64, 10**400, "", " ", "X", "x", "a1", "z99",
    "null", "\x00", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "é" * 70, "😀" * 300, "a" * 7_000, [], [[]], [None], {},
    {"": {}}, {"mode": "move"}, "__proto__", "p_x", "public", "draw", "%s", "{}", "../..", "' OR 1=1", -(2**63), "1",
    "ＡＢ", "a1\n",
)  # fmt: skip
"""Values that some field may not expect."""
TEXTS: Final = (
    b"", b" ", b"null", b"[]", b"{}", b"1", b'"', b"{", b'{"type"', b"\xef\xbb\xbf{}", b'{"type":"ping","type":"sit"}',
    b"NaN", b'{"id":NaN}', b"-", b"1e999", b"\x00", b"[" * 4_000, b'{"a":' * 1_300, b"// {}", b"'{}'", b"{}{}",
    b'{"id":"\\u12"}',
)  # fmt: skip
"""What is no message at all."""


def _value(rng: random.Random) -> Any:
    return rng.choice(ODD)


def _other_value(message: dict[str, Any], rng: random.Random) -> None:
    message[rng.choice(list(message))] = _value(rng)


def _without_field(message: dict[str, Any], rng: random.Random) -> None:
    del message[rng.choice(list(message))]


def _another_field(message: dict[str, Any], rng: random.Random) -> None:
    other = rng.choice(MESSAGES)
    name = rng.choice(list(other))
    message[name] = other[name]


def _odd_field(message: dict[str, Any], rng: random.Random) -> None:
    name = _value(rng)
    message[name if isinstance(name, str) else str(name)] = _value(rng)


def _nested(message: dict[str, Any], rng: random.Random) -> None:
    inner: Any = _value(rng)
    for _ in range(rng.randrange(60)):
        inner = [inner] if rng.random() < 0.5 else {"a": inner}
    message[rng.choice(list(message))] = inner


_CHANGES: Final[tuple[Callable[[dict[str, Any], random.Random], None], ...]] = (
    _other_value, _other_value, _without_field, _another_field, _odd_field, _nested,
)  # fmt: skip


def _changed_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return data with a few bytes changed, doubled, taken away or cut off."""
    result = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(result) + 1)
        match rng.randrange(5):
            case 0:
                result[at : at + 1] = bytes((rng.randrange(256),))
            case 1:
                result[at:at] = bytes((rng.randrange(32, 127),))
            case 2:
                del result[at : at + rng.randrange(1, 4)]
            case 3:
                result[at:at] = result[at : at + rng.randrange(1, 20)]
            case _:
                del result[at:]
    return bytes(result)


def mutated(original: dict[str, Any], rng: random.Random) -> bytes:
    """Return a message that is changed in at most two ways. It is UTF-8 and fits into a frame."""
    if rng.random() < 0.05:
        return rng.choice(TEXTS)
    message = dict(original)
    for _ in range(rng.choice((0, 1, 1, 2))):
        if message:
            rng.choice(_CHANGES)(message, rng)
    data = json.dumps(message, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        data = _changed_bytes(data, rng)
    return data.decode("utf-8", "replace").encode()[:MAX_FRAME].decode("utf-8", "ignore").encode()
