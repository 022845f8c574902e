"""Guests, the hashes of their tokens, resume codes and subscriptions; secrets; and banned addresses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from noughts.store.contract import MAX_SUBSCRIPTIONS, PassKind, StoredPlayer, StoredToken, Subscription
from noughts.store.redis.client import Answer
from noughts.store.redis.link import RedisLink
from noughts.store.redis.scripts import Word

NAMES_AT_ONCE: Final = 1_000
"""The most names that one script reads."""


class RedisPlayers:
    """A ``PlayerStore``, a ``PushStore``, a ``BanStore`` and a ``PassStore`` of :mod:`noughts.store.contract`."""

    def __init__(self, link: RedisLink) -> None:
        self._connection = link.connection
        self._prefix = link.prefix
        self._script = link.script("players")

    async def add_player(self, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> None:
        words = (player.id, player.name, player.seen_ms, token_hash, int(player.bot), made_ms)
        if not await self._do("add", *words):
            raise ValueError("the store cannot hold this: the player or the token exists already")

    async def sign_on(self, key_hash: bytes, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> StoredPlayer:
        words = (key_hash, player.id, player.name, player.seen_ms, token_hash, int(player.bot), made_ms)
        stored = _player_from(await self._do("sign_on", *words))
        if stored is None:
            raise ValueError("the store cannot hold this: the player or the token exists already")
        return stored

    async def identity_hash(self, player: str) -> bytes | None:
        hash: bytes | None = await self._connection.call("HGET", f"{self._prefix}sign_on_of", player)
        return hash

    async def player(self, player: str) -> StoredPlayer | None:
        return _player_from(await self._do("read", player))

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        return _player_from(await self._do("by_token", token_hash))

    async def tokens(self, player: str) -> Sequence[StoredToken]:
        return tokens_from(await self._do("tokens", player))

    async def known_tokens(self, token_hashes: Sequence[bytes]) -> set[bytes]:
        distinct = list(dict.fromkeys(token_hashes))
        stored: set[bytes] = set()
        for start in range(0, len(distinct), NAMES_AT_ONCE):
            stored |= set(await self._do("known", *distinct[start : start + NAMES_AT_ONCE]))
        return stored

    async def delete_token(self, player: str, token_hash: bytes) -> None:
        await self._do("delete_token", player, token_hash)

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        distinct = list(dict.fromkeys(players))
        names: dict[str, str] = {}
        for start in range(0, len(distinct), NAMES_AT_ONCE):
            some = distinct[start : start + NAMES_AT_ONCE]
            answer = await self._do("names", *some)
            names |= {player: name.decode() for player, name in zip(some, answer, strict=True) if name is not None}
        return names

    async def rename(self, player: str, name: str) -> None:
        await self._do("rename", player, name)

    async def seen(self, player: str, now_ms: int, token_hash: bytes | None = None) -> None:
        await self._do("seen", player, now_ms, token_hash or b"")

    async def delete_player(self, player: str) -> None:
        await self._do("delete", player)

    async def unseen(self, before_ms: int, limit: int) -> Sequence[str]:
        return [player.decode() for player in await self._do("unseen", before_ms, limit)]

    async def delete_unseen(self, before_ms: int, players: Sequence[str]) -> int:
        return int(await self._do("delete_unseen", before_ms, *players))

    async def add_token(self, player: str, token_hash: bytes, made_ms: int = 0) -> None:
        if not await self._do("add_token", player, token_hash, made_ms):
            raise ValueError("the store cannot hold this: the token exists already")

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None:
        await self._do("add_code", code_hash, player, expires_ms)

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        player = await self._do("take_code", code_hash, now_ms)
        return None if player is None else player.decode()

    async def player_count(self) -> int:
        return int(await self._connection.call("ZCARD", f"{self._prefix}seen"))

    async def secret(self, name: str, candidate: bytes) -> bytes:
        secret: bytes = await self._do("secret", name, candidate)
        return secret

    async def subscribe(self, subscription: Subscription) -> bool:
        return bool(await self._do("subscribe", *subscription_words(subscription)))

    async def unsubscribe(self, endpoint: str, player: str) -> None:
        await self._do("unsubscribe", endpoint, player)

    async def subscriptions(self, player: str) -> Sequence[Subscription]:
        return subscriptions_from(await self._do("subscriptions", player))

    async def note_failure(self, endpoint: str, since_ms: int) -> None:
        await self._do("note_failure", endpoint, since_ms)

    async def ban(self, address: str) -> None:
        await self._connection.call("SADD", f"{self._prefix}bans", address)

    async def unban(self, address: str) -> None:
        await self._connection.call("SREM", f"{self._prefix}bans", address)

    async def banned(self) -> Sequence[str]:
        addresses = await self._connection.call("SMEMBERS", f"{self._prefix}bans")
        return sorted(address.decode() for address in addresses)

    async def add_pass(self, pass_hash: bytes, kind: PassKind, expires_ms: int, now_ms: int) -> None:
        await self._do("add_pass", kind.encode() + pass_hash, expires_ms, now_ms)

    async def has_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        expires_ms = await self._connection.call("HGET", f"{self._prefix}passes", kind.encode() + pass_hash)
        return expires_ms is not None and int(expires_ms) > now_ms

    async def take_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        return bool(await self._do("take_pass", kind.encode() + pass_hash, now_ms))

    async def _do(self, act: str, *words: Word) -> Answer:
        return await self._connection.carry_out(self._script, f"{self._prefix}seen", act, *words)


def tokens_from(answer: Sequence[bytes]) -> Sequence[StoredToken]:
    """Return the tokens in an answer, oldest first: each hash is followed by its two times."""
    tokens = [
        StoredToken(token_hash, int(made_ms), int(seen_ms))
        for token_hash, made_ms, seen_ms in zip(answer[::3], answer[1::3], answer[2::3], strict=True)
    ]
    return sorted(tokens, key=lambda token: (token.made_ms, token.hash))


def _player_from(answer: Answer) -> StoredPlayer | None:
    if answer is None:
        return None
    player, name, seen_ms, bot = answer
    return StoredPlayer(player.decode(), name.decode(), int(seen_ms), bot == b"1")


def subscription_words(subscription: Subscription) -> tuple[Word, ...]:
    """Return the words with which the script ``players`` stores a subscription."""
    endpoint, player, p256dh, auth, zone, base, made_ms, failing_since_ms = subscription
    keys = json.dumps([p256dh, auth, zone, base])
    return endpoint, player, made_ms, keys, failing_since_ms, MAX_SUBSCRIPTIONS


def subscriptions_from(answer: Sequence[Answer]) -> Sequence[Subscription]:
    """Return the subscriptions that the script ``players`` read."""
    subscriptions = []
    for endpoint, player, keys, made_ms, since_ms in answer:
        p256dh, auth, zone, base = json.loads(keys)
        times_ms = int(float(made_ms)), int(since_ms)
        subscriptions.append(Subscription(endpoint.decode(), player.decode(), p256dh, auth, zone, base, *times_ms))
    return subscriptions
