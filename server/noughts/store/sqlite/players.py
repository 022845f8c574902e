"""Guests, the hashes of their tokens, resume codes and subscriptions; secrets; and banned addresses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from noughts.store.contract import MAX_SUBSCRIPTIONS, PassKind, StoredPlayer, StoredToken, Subscription
from noughts.store.sqlite.writer import Writer


class SqlitePlayers:
    """A ``PlayerStore``, a ``PushStore``, a ``BanStore`` and a ``PassStore`` of :mod:`noughts.store.contract`."""

    _writer: Writer

    async def add_player(self, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> None:
        await self._writer.run(lambda db: _add(db, player, StoredToken(token_hash, made_ms, made_ms)))

    async def sign_on(self, key_hash: bytes, player: StoredPlayer, token_hash: bytes, made_ms: int = 0) -> StoredPlayer:
        token = StoredToken(token_hash, made_ms, made_ms)

        def work(db: sqlite3.Connection) -> StoredPlayer:
            sql = (
                "SELECT id, name, seen_ms, bot FROM sign_ons JOIN players ON players.id=sign_ons.player"
                " WHERE sign_ons.hash=?"
            )
            row = db.execute(sql, (key_hash,)).fetchone()
            if row is not None:
                _add_token(db, row[0], token)
                return _player(row)
            _add(db, player, token)
            db.execute("INSERT OR REPLACE INTO sign_ons VALUES(?,?)", (key_hash, player.id))
            return player

        return await self._writer.run(work)

    async def identity_hash(self, player: str) -> bytes | None:
        row = await self._writer.row("SELECT hash FROM sign_ons WHERE player=?", (player,))
        return None if row is None else row[0]

    async def player(self, player: str) -> StoredPlayer | None:
        sql = "SELECT id, name, seen_ms, bot FROM players WHERE id=?"
        row = await self._writer.row(sql, (player,))
        return None if row is None else _player(row)

    async def player_by_token(self, token_hash: bytes) -> StoredPlayer | None:
        sql = (
            "SELECT id, name, min(players.seen_ms, coalesce(nullif(token_times.seen_ms, 0), players.seen_ms)), bot"
            " FROM tokens JOIN players ON players.id=tokens.player"
            " LEFT JOIN token_times ON token_times.hash=tokens.hash WHERE tokens.hash=?"
        )
        row = await self._writer.row(sql, (token_hash,))
        return None if row is None else _player(row)

    async def tokens(self, player: str) -> Sequence[StoredToken]:
        rows = await self._writer.rows(TOKENS, (player,))
        return [StoredToken(*row) for row in rows]

    async def known_tokens(self, token_hashes: Sequence[bytes]) -> set[bytes]:
        sql = "SELECT hash FROM tokens WHERE hex(hash) IN (SELECT value FROM json_each(?))"
        rows = await self._writer.rows(sql, (json.dumps([token_hash.hex().upper() for token_hash in token_hashes]),))
        return {row[0] for row in rows}

    async def delete_token(self, player: str, token_hash: bytes) -> None:
        def work(db: sqlite3.Connection) -> None:
            if db.execute("DELETE FROM tokens WHERE hash=? AND player=?", (token_hash, player)).rowcount:
                db.execute("DELETE FROM token_times WHERE hash=?", (token_hash,))

        await self._writer.run(work)

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        sql = "SELECT id, name FROM players WHERE id IN (SELECT value FROM json_each(?))"
        return dict(await self._writer.rows(sql, (json.dumps(players),)))

    async def rename(self, player: str, name: str) -> None:
        await self._writer.execute("UPDATE players SET name=? WHERE id=?", (name, player))

    async def seen(self, player: str, now_ms: int, token_hash: bytes | None = None) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE players SET seen_ms=? WHERE id=?", (now_ms, player))
            if token_hash is not None:
                db.execute(
                    "INSERT INTO token_times SELECT hash, 0, ? FROM tokens WHERE hash=?"
                    " ON CONFLICT(hash) DO UPDATE SET seen_ms=excluded.seen_ms",
                    (now_ms, token_hash),
                )

        await self._writer.run(work)

    async def delete_player(self, player: str) -> None:
        await self._writer.run(lambda db: _delete(db, player))

    async def unseen(self, before_ms: int, limit: int) -> Sequence[str]:
        rows = await self._writer.rows("SELECT id FROM players WHERE seen_ms<? LIMIT ?", (before_ms, limit))
        return [row[0] for row in rows]

    async def delete_unseen(self, before_ms: int, players: Sequence[str]) -> int:
        def work(db: sqlite3.Connection) -> int:
            count = 0
            for player in players:
                if db.execute("SELECT 1 FROM players WHERE id=? AND seen_ms<?", (player, before_ms)).fetchone():
                    _delete(db, player)
                    count += 1
            return count

        return await self._writer.run(work)

    async def add_token(self, player: str, token_hash: bytes, made_ms: int = 0) -> None:
        await self._writer.run(lambda db: _add_token(db, player, StoredToken(token_hash, made_ms, made_ms)))

    async def add_resume_code(self, code_hash: bytes, player: str, expires_ms: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM resume_codes WHERE player=?", (player,))
            db.execute("INSERT OR REPLACE INTO resume_codes VALUES(?,?,?)", (code_hash, player, expires_ms))

        await self._writer.run(work)

    async def take_resume_code(self, code_hash: bytes, now_ms: int) -> str | None:
        def work(db: sqlite3.Connection) -> str | None:
            db.execute("DELETE FROM resume_codes WHERE expires_ms<=?", (now_ms,))
            row = db.execute("DELETE FROM resume_codes WHERE hash=? RETURNING player", (code_hash,)).fetchone()
            return None if row is None else str(row[0])

        return await self._writer.run(work)

    async def player_count(self) -> int:
        row = await self._writer.row("SELECT count(*) FROM players")
        return int(row[0])

    async def secret(self, name: str, candidate: bytes) -> bytes:
        def work(db: sqlite3.Connection) -> bytes:
            db.execute("INSERT OR IGNORE INTO secrets VALUES(?,?)", (name, candidate))
            return bytes(db.execute("SELECT secret FROM secrets WHERE name=?", (name,)).fetchone()[0])

        return await self._writer.run(work)

    async def subscribe(self, subscription: Subscription) -> bool:
        player = subscription.player

        def work(db: sqlite3.Connection) -> bool:
            if db.execute("SELECT 1 FROM players WHERE id=?", (player,)).fetchone() is None:
                return False
            db.execute("INSERT OR REPLACE INTO subscriptions VALUES(?,?,?,?,?,?,?,?)", subscription)
            db.execute(
                "DELETE FROM subscriptions WHERE player=? AND endpoint NOT IN"
                " (SELECT endpoint FROM subscriptions WHERE player=? ORDER BY made_ms DESC, endpoint DESC LIMIT ?)",
                (player, player, MAX_SUBSCRIPTIONS),
            )
            return True

        return await self._writer.run(work)

    async def unsubscribe(self, endpoint: str, player: str) -> None:
        await self._writer.execute("DELETE FROM subscriptions WHERE endpoint=? AND player=?", (endpoint, player))

    async def subscriptions(self, player: str) -> Sequence[Subscription]:
        sql = "SELECT * FROM subscriptions WHERE player=? ORDER BY made_ms DESC, endpoint DESC"
        return [Subscription(*row) for row in await self._writer.rows(sql, (player,))]

    async def note_failure(self, endpoint: str, since_ms: int) -> None:
        await self._writer.execute("UPDATE subscriptions SET failing_since_ms=? WHERE endpoint=?", (since_ms, endpoint))

    async def ban(self, address: str) -> None:
        sql = "INSERT OR IGNORE INTO bans(address) VALUES(?)"
        await self._writer.execute(sql, (address,))

    async def unban(self, address: str) -> None:
        await self._writer.execute("DELETE FROM bans WHERE address=?", (address,))

    async def banned(self) -> Sequence[str]:
        rows = await self._writer.rows("SELECT address FROM bans ORDER BY address")
        return [row[0] for row in rows]

    async def add_pass(self, pass_hash: bytes, kind: PassKind, expires_ms: int, now_ms: int) -> None:
        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM passes WHERE expires_ms<=?", (now_ms,))
            db.execute("INSERT INTO passes VALUES(?,?,?)", (pass_hash, kind, expires_ms))

        await self._writer.run(work)

    async def has_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        sql = "SELECT 1 FROM passes WHERE hash=? AND kind=? AND expires_ms>?"
        return await self._writer.row(sql, (pass_hash, kind, now_ms)) is not None

    async def take_pass(self, pass_hash: bytes, kind: PassKind, now_ms: int) -> bool:
        sql = "DELETE FROM passes WHERE hash=? AND kind=? AND expires_ms>?"
        values = (pass_hash, kind, now_ms)
        return await self._writer.run(lambda db: db.execute(sql, values).rowcount == 1)


def _player(row: tuple[str, str, int, int]) -> StoredPlayer:
    """Return the player in a row. SQLite has no booleans."""
    id, name, seen_ms, bot = row
    return StoredPlayer(id, name, seen_ms, bool(bot))


TOKENS: Final = (
    "SELECT tokens.hash, coalesce(made_ms, 0), coalesce(seen_ms, 0) FROM tokens"
    " LEFT JOIN token_times ON token_times.hash=tokens.hash WHERE player=? ORDER BY made_ms, tokens.hash"
)


def _add(db: sqlite3.Connection, player: StoredPlayer, token: StoredToken) -> None:
    db.execute("INSERT INTO players(id, name, seen_ms, bot) VALUES(?,?,?,?)", player)
    _add_token(db, player.id, token)


def _add_token(db: sqlite3.Connection, player: str, token: StoredToken) -> None:
    db.execute("INSERT INTO tokens(hash, player) VALUES(?,?)", (token.hash, player))
    db.execute("INSERT INTO token_times VALUES(?,?,?)", token)


def _delete(db: sqlite3.Connection, player: str) -> None:
    db.execute("DELETE FROM players WHERE id=?", (player,))
    db.execute("DELETE FROM token_times WHERE hash IN (SELECT hash FROM tokens WHERE player=?)", (player,))
    db.execute("DELETE FROM tokens WHERE player=?", (player,))
    db.execute("DELETE FROM sign_ons WHERE player=?", (player,))
    db.execute("DELETE FROM resume_codes WHERE player=?", (player,))
    db.execute("DELETE FROM subscriptions WHERE player=?", (player,))
