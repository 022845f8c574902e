"""Which data a program uses, by the number of their schema."""

from __future__ import annotations

import pytest

from noughts.store.contract import SchemaError
from noughts.store.redis.schema import OldData, OlderSchemaError, Schema


async def nothing(data: OldData) -> None:
    pass


def test_only_its_own_schema_passes() -> None:
    schema = Schema(3)
    schema.check(3)
    for older in (1, 2, -1, -2):
        with pytest.raises(OlderSchemaError, match="older version"):
            schema.check(older)
    for newer in (4, -3, -4):
        with pytest.raises(SchemaError, match="newer version") as caught:
            schema.check(newer)
        assert not isinstance(caught.value, OlderSchemaError)


def test_a_copy_that_is_not_complete_is_rejected() -> None:
    with pytest.raises(SchemaError, match="run `noughts copy` again"):
        Schema(3).check(0)


def test_steps_follow_one_another() -> None:
    schema = Schema(3, {1: nothing, 2: nothing})
    assert len(schema.steps_from(1)) == 2
    assert len(schema.steps_from(2)) == 1
    with pytest.raises(SchemaError, match="upgrade with an earlier version first"):
        Schema(3, {2: nothing}).steps_from(1)
