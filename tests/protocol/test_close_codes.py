"""Why the server closes a WebSocket."""

from __future__ import annotations

from noughts.protocol.close_codes import CLOSE_CODES


def test_the_codes_of_the_contract() -> None:
    """The codes that clients rely on."""
    assert set(CLOSE_CODES) == {1001, 1002, 1007, 1008, 1009, 1011, 1012, 4401, 4404, 4408, 4410, 4429, 4503}
