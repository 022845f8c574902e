"""What the parts of one node's store share."""

from __future__ import annotations

import pytest

from noughts.store.redis.link import RedisLink
from tests.support.redis_stores import address_of


def test_keys_have_the_prefix_as_their_hash_tag() -> None:
    link = RedisLink(address_of("redis://127.0.0.1:1"), "one", "club")
    assert link.script("load").text.startswith("local P, K, ROW = '{club}:', '{club}:', '{club}:room:'\n")
    assert link.script("load", "toy").text.startswith(
        "local P, K, ROW = '{club}:', '{club}:toy:', '{club}:toy:value:'\n"
    )
    assert link.script("load") is link.script("load")


def test_a_prefix_that_is_no_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="letters"):
        RedisLink(address_of("redis://127.0.0.1:1"), "one", "two words")
