"""The key pair with which all nodes of a store identify themselves to push services."""

from __future__ import annotations

import asyncio
import secrets
from types import ModuleType
from typing import Any, Final

from noughts.command_line import part
from noughts.store.contract import PushStore

KEY_NAME: Final = "push"
"""The name of the private key among the secrets of the store."""


class ServerKeys:
    """Loads the key pair and :mod:`noughts.app.push.encryption`, each when it is first needed."""

    def __init__(self, store: PushStore) -> None:
        self._store = store
        self._encryption: ModuleType | None = None
        self._key: Any = None

    async def encryption(self) -> ModuleType:
        """Return the module that encrypts. It is imported in a thread, because that takes long."""
        if self._encryption is None:
            self._encryption = await asyncio.to_thread(part, "encryption")
        return self._encryption

    async def key(self) -> Any:
        """Return the :class:`~noughts.app.push.encryption.ServerKey`. Raise ``StoreUnavailableError``."""
        if self._key is None:
            encryption = await self.encryption()
            candidate = encryption.new_private_key(secrets.token_bytes).private_numbers().private_value
            self._key = encryption.ServerKey(await self._store.secret(KEY_NAME, candidate.to_bytes(32)))
        return self._key
