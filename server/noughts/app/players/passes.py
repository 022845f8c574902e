"""What opens the admin calls from another machine: a code that works once, and the session that it is exchanged for."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from noughts.app.players.identity import hash_secret, new_token
from noughts.app.runtime.clock import ServerClock
from noughts.store.contract import PassStore

CODE_MS: Final = 600_000
SESSION_MS: Final = 43_200_000
MAX_PASS: Final = 64
"""The most characters of a code or a session that are looked up."""
MAX_RECENT: Final = 100
"""Sessions that a node remembers."""


class Passes:
    """Codes and sessions, which every node of a store accepts."""

    def __init__(self, store: PassStore, clock: ServerClock) -> None:
        self._store = store
        self._clock = clock
        self._recent: OrderedDict[bytes, None] = OrderedDict()
        """The hashes of sessions that were valid when this node last saw them."""

    async def new_code(self) -> tuple[str, int]:
        """Return a code, and when it expires."""
        code, now_ms = new_token(), self._clock.now_ms()
        await self._store.add_pass(hash_secret(code), "code", now_ms + CODE_MS, now_ms)
        return code, now_ms + CODE_MS

    async def new_session(self, code: str) -> tuple[str, int] | None:
        """Use up a code. Return a session and when it expires; None for a wrong code."""
        now_ms = self._clock.now_ms()
        if len(code) > MAX_PASS or not await self._store.take_pass(hash_secret(code), "code", now_ms):
            return None
        session = new_token()
        await self._store.add_pass(hash_secret(session), "session", now_ms + SESSION_MS, now_ms)
        return session, now_ms + SESSION_MS

    def is_recent(self, token: str | None) -> bool:
        """Return whether a request has a session that was valid on this node. The store says whether it still is."""
        return token is not None and hash_secret(token[:MAX_PASS]) in self._recent

    async def is_session(self, token: str | None) -> bool:
        """Return whether a request has a session as its token."""
        if token is None or not 1 <= len(token) <= MAX_PASS:
            return False
        token_hash = hash_secret(token)
        if not await self._store.has_pass(token_hash, "session", self._clock.now_ms()):
            self._recent.pop(token_hash, None)
            return False
        self._recent[token_hash] = None
        if len(self._recent) > MAX_RECENT:
            self._recent.popitem(last=False)
        return True

    async def end_session(self, token: str) -> None:
        """End a session on every node."""
        await self._store.take_pass(hash_secret(token), "session", self._clock.now_ms())
