"""The server's messages as types, and what a later server may add to them."""

from __future__ import annotations

import msgspec
import pytest

from noughts.client.decoding import RejectedText, RoomUpdate, decode
from noughts.protocol.codec import encode
from noughts.protocol.messages import PROTOCOL, REACTIONS, PlayerView, Pong, Welcome
from noughts.room.events import Stood
from tests.support.room_texts import VIEW

ROOM = b'{"type":"room","version":3,"event":%b,"you":{"mark":null,"owner":false,"can":[],"new":1},"room":%b}'


def test_a_message_of_the_protocol_is_its_type() -> None:
    for message in (Welcome(PROTOCOL, PlayerView("p_a", "Ann"), 5, REACTIONS), Pong("a", 7)):
        assert decode(encode(message)) == message


def test_what_is_new_is_ignored() -> None:
    assert decode(b'{"type":"weather","rain":true}') is None
    assert decode(b'{"type":"pong","id":"a","now_ms":7,"new":[]}') == Pong("a", 7)
    rejected = decode(b'{"type":"rejected","id":"a","code":"a_new_code","message":"No."}')
    assert rejected == RejectedText("a", "a_new_code", "No.")


def test_an_event_may_be_unknown() -> None:
    for text, event in ((b"null", None), (b'{"type":"stood","mark":"X"}', Stood("X")), (b'{"type":"sneezed"}', None)):
        message = decode(ROOM % (text, encode(VIEW)))
        assert isinstance(message, RoomUpdate)
        assert message.view_event() == event


@pytest.mark.parametrize(
    "text", [b"", b"[]", b'"welcome"', b"{}", b'{"type":"welcome"}', b'{"type":7}', b'{"type":"ok"}']
)
def test_other_text_is_no_message(text: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(text)
