"""The schema of the keys in Redis, and which data a program may use."""

from __future__ import annotations

from typing import Final

from noughts.store.contract import SchemaError

SCHEMA_VERSION: Final = 1
"""The version of the keys and the bytes in them. It rises with each change that an older program could not read."""
INCOMPLETE: Final = 0
"""The stored number while a copy is being written."""


def check_schema(stored: int, version: int = SCHEMA_VERSION) -> None:
    """Raise :class:`SchemaError` for data of another schema than ``version``."""
    if stored == INCOMPLETE:
        raise SchemaError("A copy to this Redis was interrupted: run `noughts copy` again.")
    if stored > version:
        raise SchemaError("The data in this Redis were written by a newer version of Noughts. Upgrade Noughts.")
    if stored < version:
        raise SchemaError(
            "The data in this Redis were written by an older version of Noughts. Stop all nodes, copy the data to a file"
            " with `noughts copy` of that version, start this version on the file once, and copy the file to Redis."
        )
