"""Guest accounts: make, find by token, rename, delete, and move to another device."""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from noughts.app.players.identity import (
    RESUME_MS,
    clean_name,
    hash_secret,
    identity_name,
    new_id,
    new_resume_code,
    new_token,
    plain_code,
    random_name,
    wrong_code,
)
from noughts.app.runtime.clock import ServerClock
from noughts.errors import Rejection
from noughts.room.seat import SOMEONE, Person
from noughts.store.contract import PlayerStore, StoredPlayer, StoredToken, StoreUnavailableError
from noughts.store.relay import Notice, Relay

MAX_CACHED: Final = 10_000
CACHED_MS: Final = 60_000
"""Milliseconds for which a token is not read from the store again.

A notice tells every node of a deletion at once. This is the limit for a node that missed the notice.
"""
DELETED_AT_ONCE: Final = 200
"""Guests deleted in one transaction: moves wait for it."""
DELETION_PAUSE_S: Final = 0.02
SEEN_INTERVAL_MS: Final = 86_400_000
MAX_TOKEN: Final = 200
DAY_MS: Final = 86_400_000


def unknown_player() -> Rejection:
    """Return the rejection for an id that is no player's."""
    return Rejection("not_found", "There is no such player: `noughts players` lists those who are connected.")


class _Cached(NamedTuple):
    player: StoredPlayer
    until_ms: int


class Guests:
    """The players in the store, with recently used tokens in memory."""

    def __init__(
        self,
        players: PlayerStore,
        relay: Relay,
        clock: ServerClock,
        rng: random.Random,
        *,
        free_names: bool,
        days: int = 90,
        banned: Callable[[str], bool] = lambda player: False,
    ) -> None:
        self._players = players
        self._relay = relay
        self._clock = clock
        self._rng = rng
        self._free_names = free_names
        self._banned = banned
        self._days = days
        """How many days a guest is kept that does not come back."""
        self._cache: OrderedDict[bytes, _Cached] = OrderedDict()

    async def create(self, name: str | None, *, language: str = "en", bot: bool = False) -> tuple[Person, str]:
        """Make a guest. Return the player and the token. Raise ``bad_message`` for a name that is not allowed.

        Without a name, or where the server allows none, make one up in this language.
        """
        given = None if name is None else clean_name(name)
        shown = given if given and self._free_names else random_name(self._rng, language)
        player = StoredPlayer(f"p_{new_id()}", shown, self._unused_ms(), bot)
        token = new_token()
        await self._players.add_player(player, hash_secret(token), self._clock.now_ms())
        return Person(player.id, player.name, player.bot), token

    async def sign_on(self, identity: str, *, bot: bool = False) -> tuple[Person, str]:
        """Return the player of an identity that a proxy vouches for, the same on every device, and a new token.

        Raise ``bad_message`` for an identity that is not allowed.
        """
        new = StoredPlayer(f"p_{new_id()}", identity_name(identity), self._unused_ms(), bot)
        token = new_token()
        player = await self._players.sign_on(hash_secret(identity), new, hash_secret(token), self._clock.now_ms())
        return Person(player.id, player.name, player.bot), token

    def _unused_ms(self) -> int:
        """Return when a new guest counts as last seen, so that it is deleted in a day unless it is used."""
        return self._clock.now_ms() - (self._days - 1) * DAY_MS - 1

    async def person(self, token: str, identity: str | None = None) -> Person | None:
        """Return the player whose token this is; None for an unknown token. Raise ``forbidden`` for a banned player.

        ``identity`` is whom the proxy's sign-on names. A token of another identity's player counts as unknown: the browser
        of a shared computer has the token of the person who signed on before.
        """
        if not 1 <= len(token) <= MAX_TOKEN:
            return None
        key, now_ms = hash_secret(token), self._clock.now_ms()
        cached = self._cache.get(key)
        if cached is None or cached.until_ms <= now_ms:
            player = await self._players.player_by_token(key)
            if player is None:
                self._cache.pop(key, None)
                return None
            cached = self._cache[key] = _Cached(player, now_ms + CACHED_MS)
            self._cache.move_to_end(key)
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        player = cached.player
        if self._banned(player.id):
            raise Rejection("forbidden", "You are banned from this server.")
        if identity is not None and await self._players.identity_hash(player.id) not in (None, hash_secret(identity)):
            return None
        if now_ms - player.seen_ms > SEEN_INTERVAL_MS:
            self._cache[key] = _Cached(player._replace(seen_ms=now_ms), cached.until_ms)
            with suppress(StoreUnavailableError):
                await self._players.seen(player.id, now_ms, key)
        return Person(player.id, player.name, player.bot)

    async def rename(self, player: str, name: str) -> Person:
        """Give a player another name. Raise ``bad_message``, or ``forbidden`` where names are random."""
        shown = clean_name(name)
        if not self._free_names:
            raise Rejection("forbidden", "This server chooses the names: yours cannot be changed.")
        if await self._players.identity_hash(player) is not None:
            raise Rejection("forbidden", "Your name comes from the sign-on of this server: it cannot be changed here.")
        return await self._renamed(player, shown)

    async def rename_by_operator(self, player: str, name: str) -> Person:
        """Give a player another name, whatever the server says about names. Raise ``bad_message`` or ``not_found``."""
        shown = clean_name(name)
        if not await self.exists(player):
            raise unknown_player()
        return await self._renamed(player, shown)

    async def _renamed(self, player: str, shown: str) -> Person:
        await self._players.rename(player, shown)
        self.forget_cached(player)
        self._relay.announce(Notice("renamed", player, shown))
        return Person(player, shown)

    async def tokens(self, player: str) -> Sequence[StoredToken]:
        """Return the tokens of a player, oldest first."""
        return await self._players.tokens(player)

    async def delete_token(self, player: str, token_hash: bytes) -> None:
        """Delete one token of a player, on every node at once."""
        await self._players.delete_token(player, token_hash)
        self.forget_cached(player)
        self._relay.announce(Notice("token_deleted", player, token_hash.hex()))

    async def void_tokens(self, token_hashes: Sequence[bytes]) -> set[bytes]:
        """Return those of these tokens that do not exist any more."""
        return set(token_hashes) - await self._players.known_tokens(token_hashes)

    async def exists(self, player: str) -> bool:
        """Return whether a player's guest account still exists."""
        return await self._players.player(player) is not None

    async def delete(self, player: str) -> Person:
        """Delete a guest account. Return the player with the name that is shown from now on."""
        await self._players.delete_player(player)
        self.forget_cached(player)
        self._relay.announce(Notice("deleted", player, SOMEONE))
        return Person(player, SOMEONE)

    def forget_cached(self, player: str) -> None:
        """Drop the tokens of a player from memory, after a change of the name or the end of the account."""
        for key in [key for key, cached in self._cache.items() if cached.player.id == player]:
            del self._cache[key]

    def forget_all_cached(self) -> None:
        """Drop every token from memory, after notices from other nodes may have been lost."""
        self._cache.clear()

    async def deleted(self, players: Sequence[str]) -> list[str]:
        """Return those of these players whose guest accounts do not exist any more."""
        names = await self._players.names(players)
        return [player for player in players if player not in names]

    async def delete_unseen(self, forget: Callable[[str], Awaitable[None]]) -> list[str]:
        """Delete every guest that has not come back for too long, a few in each transaction. Return their ids.

        ``forget`` erases what a guest has elsewhere. It comes first, so that a failure leaves nothing behind.
        """
        before_ms = self._clock.now_ms() - self._days * DAY_MS
        gone: list[str] = []
        while players := await self._players.unseen(before_ms, DELETED_AT_ONCE):
            for player in players:
                await forget(player)
            await self._players.delete_unseen(before_ms, players)
            self._cache.clear()
            for player in await self.deleted(players):
                self._relay.announce(Notice("deleted", player, SOMEONE))
                gone.append(player)
            await asyncio.sleep(DELETION_PAUSE_S)
        return gone

    async def resume_code(self, player: str) -> tuple[str, int]:
        """Return a code to type on another device, and when it expires. An earlier code of the player becomes void."""
        code = new_resume_code()
        expires_ms = self._clock.now_ms() + RESUME_MS
        await self._players.add_resume_code(hash_secret(plain_code(code)), player, expires_ms)
        return code, expires_ms

    async def resume(self, code: str) -> tuple[Person, str]:
        """Use up a resume code. Return its player and a new token. Raise ``unauthorized``."""
        player_id = await self._players.take_resume_code(hash_secret(plain_code(code)), self._clock.now_ms())
        player = await self._players.player(player_id) if player_id is not None else None
        if player is None:
            raise wrong_code()
        token = new_token()
        await self._players.add_token(player.id, hash_secret(token), self._clock.now_ms())
        return Person(player.id, player.name, player.bot), token
