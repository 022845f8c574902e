"""The schema of the keys in Redis, and the steps from older schemas to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from noughts.store.contract import SchemaError
from noughts.store.redis.scripts import Word

SCHEMA_VERSION: Final = 1
"""The version of the keys and the bytes in them. It rises with each change that an older program could not read."""
INCOMPLETE: Final = 0
"""The stored number while a copy is being written."""


class OlderSchemaError(SchemaError):
    """The data have an older schema, or their upgrade was interrupted."""


class OldData(Protocol):
    """All keys of an installation, while a step upgrades them and no node runs."""

    prefix: str
    """The beginning of each key."""

    async def keys(self, pattern: str) -> Sequence[bytes]:
        """Return the keys whose names after the prefix match a pattern, such as ``room:*``."""
        ...

    async def call(self, *words: Word) -> Any:
        """Carry out a command and return its answer as bytes. Raise ``ResponseError``, ``StoreUnavailableError``."""
        ...

    async def carry_out(self, commands: Sequence[Sequence[Word]]) -> Sequence[Any]:
        """Carry out many commands in order and return their answers. That is far quicker than one after the other."""
        ...


Step: TypeAlias = Callable[[OldData], Awaitable[None]]
"""Upgrades data by one schema. It may raise any exception: the data are then put back as they were."""


class Schema(NamedTuple):
    """The schema of a program. ``steps`` has for each older number the step to the next number."""

    version: int = SCHEMA_VERSION
    steps: Mapping[int, Step] = MappingProxyType({})

    def check(self, stored: int) -> None:
        """Raise :class:`SchemaError` for data of another schema. ``stored`` is negative during an upgrade from it."""
        if stored == INCOMPLETE:
            raise SchemaError("A copy to this Redis was interrupted: run `noughts copy` again.")
        if stored > self.version or -stored >= self.version:
            raise SchemaError("The data in this Redis were written by a newer version of Noughts. Upgrade Noughts.")
        if stored < self.version:
            raise OlderSchemaError(
                "The data in this Redis were written by an older version of Noughts and cannot be upgraded here."
            )

    def steps_from(self, stored: int) -> Sequence[Step]:
        """Return the steps from an older schema. Raise :class:`SchemaError` if one is missing."""
        try:
            return [self.steps[number] for number in range(stored, self.version)]
        except KeyError:
            raise SchemaError(
                f"The data in this Redis have schema {stored}, and this version of Noughts cannot upgrade it:"
                " upgrade with an earlier version first."
            ) from None


SCHEMA: Final = Schema()
