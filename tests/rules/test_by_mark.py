"""One thing for each mark."""

from __future__ import annotations

import msgspec
import pytest

from noughts.rules.by_mark import ByMark

NAMES = ByMark("Ann", "Ben")


def test_as_json_it_is_an_object_with_the_marks_as_names() -> None:
    text = msgspec.json.encode(NAMES)
    assert text == b'{"X":"Ann","O":"Ben"}'
    assert msgspec.json.decode(text, type=ByMark[str]) == NAMES


def test_decoding_checks_what_belongs_to_the_marks() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.O"):
        msgspec.json.decode(b'{"X":1,"O":"two"}', type=ByMark[int])
