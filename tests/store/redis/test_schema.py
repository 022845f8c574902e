"""Which data a program uses, by the number of their schema."""

from __future__ import annotations

import pytest

from noughts.store.contract import SchemaError
from noughts.store.redis.schema import check_schema


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (0, "run `noughts copy` again"),
        (2, "older version of Noughts. Stop all nodes, copy the data to a file"),
        (4, "newer version of Noughts. Upgrade Noughts"),
    ],
)
def test_other_data_are_rejected(stored: int, reason: str) -> None:
    check_schema(3, 3)
    with pytest.raises(SchemaError, match=reason):
        check_schema(stored, 3)
