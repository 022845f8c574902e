"""Guests of this server: made, recognised by token, renamed, forgotten, moved to another device."""

from __future__ import annotations

import random
from collections import OrderedDict
from contextlib import suppress
from typing import Final

from noughts.app.clock import ServerClock
from noughts.app.identity import (
    RESUME_MS,
    clean_name,
    hashed,
    made_up_name,
    new_id,
    new_resume_code,
    new_token,
    plain_code,
)
from noughts.errors import Rejection
from noughts.room.room import SOMEONE
from noughts.room.seat import Person
from noughts.store.contract import Store, StoredPlayer, StoreUnavailableError

_KEPT: Final = 10_000
_SEEN_EVERY_MS: Final = 86_400_000
MAX_TOKEN: Final = 200


class Guests:
    """The players, over the store, with the recently seen in memory."""

    def __init__(self, store: Store, clock: ServerClock, *, free_names: bool) -> None:
        self._store = store
        self._clock = clock
        self._free_names = free_names
        self._rng = random.SystemRandom()
        self._known: OrderedDict[bytes, StoredPlayer] = OrderedDict()

    async def create(self, name: str | None) -> tuple[Person, str]:
        """A new guest and its token. Raises ``bad_message`` for a name that cannot be, ``StoreUnavailableError``."""
        shown = made_up_name(self._rng) if name is None else clean_name(name)
        if not self._free_names:
            shown = made_up_name(self._rng)
        player = StoredPlayer(f"p_{new_id()}", shown, self._clock.now_ms())
        token = new_token()
        await self._store.add_player(player, hashed(token))
        return Person(player.id, player.name), token

    async def person(self, token: str) -> Person | None:
        """Whose token this is."""
        if not 1 <= len(token) <= MAX_TOKEN:
            return None
        key = hashed(token)
        player = self._known.get(key)
        if player is None:
            player = await self._store.player_by_token(key)
            if player is None:
                return None
            self._known[key] = player
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        now_ms = self._clock.now_ms()
        if now_ms - player.seen_ms > _SEEN_EVERY_MS:
            player = self._known[key] = player._replace(seen_ms=now_ms)
            with suppress(StoreUnavailableError):
                await self._store.seen(player.id, now_ms)
        return Person(player.id, player.name)

    async def rename(self, player: str, name: str) -> Person:
        """Another name. Raises ``bad_message``, or ``forbidden`` where names are made up."""
        shown = clean_name(name)
        if not self._free_names:
            raise Rejection("forbidden", "This server makes up the names: yours cannot be changed.")
        await self._store.rename(player, shown)
        for key, known in self._known.items():
            if known.id == player:
                self._known[key] = known._replace(name=shown)
        return Person(player, shown)

    async def forget(self, player: str) -> Person:
        """Delete a guest: from now on it is someone."""
        await self._store.delete_player(player)
        for key in [key for key, known in self._known.items() if known.id == player]:
            del self._known[key]
        return Person(player, SOMEONE)

    async def forget_unseen(self, days: int) -> int:
        """Delete every guest not seen for so long; how many."""
        gone = await self._store.forget_unseen(self._clock.now_ms() - days * 86_400_000)
        if gone:
            self._known.clear()
        return gone

    async def resume_code(self, player: str) -> tuple[str, int]:
        """A code to type on another device, and when it ends; an earlier one of the player is void."""
        code = new_resume_code()
        expires_ms = self._clock.now_ms() + RESUME_MS
        await self._store.add_resume_code(hashed(plain_code(code)), player, expires_ms)
        return code, expires_ms

    async def resume(self, code: str) -> tuple[Person, str]:
        """Use a code up for a second token of its player. Raises ``unauthorized``."""
        player_id = await self._store.take_resume_code(hashed(plain_code(code)), self._clock.now_ms())
        player = await self._store.player(player_id) if player_id is not None else None
        if player is None:
            raise Rejection("unauthorized", "This code is wrong, used or too old: make a new one on the other device.")
        token = new_token()
        await self._store.add_token(player.id, hashed(token))
        return Person(player.id, player.name), token
