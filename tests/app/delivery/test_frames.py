"""Frames against the layout that RFC 6455 draws in section 5.2."""

from __future__ import annotations

import pytest

from noughts.app.delivery.frames import close_frame, ping_frame, pong_frame, text_frame


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (1, b"\x81\x01"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_the_head_of_a_text_frame_gives_its_length(size: int, head: bytes) -> None:
    payload = b"x" * size
    assert text_frame(payload) == head + payload


def test_control_frames_have_their_opcode() -> None:
    assert ping_frame(b"12345678") == b"\x89\x0812345678"
    assert pong_frame(b"") == b"\x8a\x00"
    assert pong_frame(b"x" * 125) == b"\x8a\x7d" + b"x" * 125


def test_a_close_frame_holds_code_and_reason() -> None:
    assert close_frame(4503, "too slow") == b"\x88\x0a\x11\x97too slow"


def test_a_close_frame_is_never_longer_than_a_control_frame() -> None:
    """A longer reason is cut: a control frame has at most 125 bytes of payload."""
    frame = close_frame(4503, "x" * 500)
    assert frame == b"\x88\x7d\x11\x97" + b"x" * 123
