"""The lines between the pool and a worker: each message survives the way, and nothing else is read."""

from __future__ import annotations

import msgspec
import pytest

from noughts.app.search.line_protocol import (
    Answer,
    Fault,
    Ready,
    Rejected,
    Reply,
    VerdictRequest,
    Warned,
    line,
    raw,
    read_reply,
    read_request,
    value,
)
from noughts.engine.verdict import Choice, Verdict
from noughts.rules.variant import VARIANTS, Variant

CLASSIC = VARIANTS["classic"]
DRAW = Verdict("draw", None, "exact")


@pytest.mark.parametrize(
    "message",
    [Ready(), Warned("a damaged\nfile"), Rejected(1, "illegal_move", "no", 3), Fault(2, "Traceback\n  line\n")],
)
def test_a_reply_arrives_as_sent(message: Reply | Ready | Warned) -> None:
    text = line(message)
    assert text.count(b"\n") == 1
    assert read_reply(text) == message


def test_a_variant_travels_as_its_fields() -> None:
    """A worker knows a variant that is in no table, and it equals the server's: kernels are kept by variant."""
    tenth = Variant("7x5", "Seven by five", "Four in a line wins.", (7, 5), 4, gravity=True)
    for variant in (*VARIANTS.values(), tenth):
        request = read_request(line(VerdictRequest(1, variant, (), 1.0)))
        assert isinstance(request, VerdictRequest)
        assert request.variant == variant
        assert hash(request.variant) == hash(variant)


def test_a_value_of_another_form_is_no_answer() -> None:
    with pytest.raises(msgspec.DecodeError):
        value(Answer(1, raw(DRAW)), Choice)


@pytest.mark.parametrize("text", [b"", b"{", b"{}", b'{"type":"stop","id":1}', b'{"type":"cancel"}', b"\xff"])
def test_any_other_line_is_an_error(text: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        read_request(text)
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        read_reply(text)
