"""The exceptions of the client."""

from __future__ import annotations

from noughts.client.errors import ClientError, ConnectError, Rejected, RoomGone


def test_a_rejection_has_its_parts_and_one_text() -> None:
    rejected = Rejected("rate_limited", "You are chatting too fast: wait a moment.", 900)
    assert (rejected.code, rejected.retry_ms) == ("rate_limited", 900)
    assert str(rejected) == "rate_limited: You are chatting too fast: wait a moment."
    assert Rejected("forbidden", "No.").retry_ms is None


def test_one_class_catches_all() -> None:
    for kind in (Rejected("internal", ""), RoomGone(), ConnectError()):
        assert isinstance(kind, ClientError)
