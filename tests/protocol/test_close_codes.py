"""Why the server closes a WebSocket."""

from __future__ import annotations

from noughts.protocol import close_codes
from noughts.protocol.close_codes import CLOSE_CODES


def test_every_code_has_a_name_and_a_meaning() -> None:
    """Each constant of the module is a row of the table, with a sentence."""
    named = {value for name, value in vars(close_codes).items() if name.isupper() and isinstance(value, int)}
    assert named == set(CLOSE_CODES)
    assert all(meaning.endswith(".") for meaning in CLOSE_CODES.values())


def test_the_codes_of_the_contract() -> None:
    """The codes that clients rely on."""
    assert set(CLOSE_CODES) == {1001, 1002, 1007, 1008, 1009, 1011, 1012, 4401, 4404, 4408, 4410, 4429, 4503}
