"""The Lua scripts as texts."""

from __future__ import annotations

import hashlib

from noughts.store.redis.scripts import Script, key_prefix

PARTS = {"clock", "online", "presence", "room", "notify"}
"""Files that hold functions for others."""


def test_a_script_knows_its_prefix_and_its_hash() -> None:
    assert key_prefix("noughts") == "{noughts}:"
    one, other = Script("load", key_prefix("one")), Script("load", key_prefix("other"))
    assert one.text.startswith("local P, K, ROW = '{one}:', '{one}:', '{one}:room:'\n")
    assert one.sha == hashlib.sha1(one.text.encode()).hexdigest() != other.sha


def test_a_script_begins_with_what_it_uses() -> None:
    """Each function is defined once, before its use."""
    text = Script("hold", key_prefix("noughts")).text
    for function in ("read_row", "read_presence"):
        assert text.count(f"local function {function}(") == 1
        assert text.index(f"local function {function}(") < text.rindex(f"{function}(")
