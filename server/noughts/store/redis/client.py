"""One connection to the primary: redis-py connects, authenticates, packs and parses. Its public names are enough.

No part of redis-py that sends a command again by itself is used: a script that ran twice would be carried out twice.
"""

from __future__ import annotations

import asyncio
from typing import Any

from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.exceptions import RedisError

from noughts.store.address import RedisAddress
from noughts.store.redis.failures import ANSWER_S, LostError, reason_of
from noughts.store.redis.scripts import Word


async def connect(address: RedisAddress, client_name: str) -> AbstractConnection:
    """Return a connection in RESP3 to a primary. Raise :class:`LostError`, whose reason names the address."""
    settings: dict[str, Any] = {**parse_url(address.url), "password": address.password}
    connection_class = settings.pop("connection_class", Connection)
    if address.certificates is not None:
        settings["ssl_ca_certs"] = str(address.certificates)
    # Without a time-out and without retries of its own: an unknown outcome must stay unknown.
    connection: AbstractConnection = connection_class(
        **settings,
        protocol=3,
        client_name=client_name,
        driver_info=None,
        socket_timeout=None,
        socket_connect_timeout=None,
    )
    try:
        async with asyncio.timeout(ANSWER_S):
            await connection.connect()  # type: ignore[no-untyped-call]  # redis-py gives it no types
        (role, *_) = await ask(connection, "ROLE")
        if role != b"master":
            raise LostError("this is a replica: name its primary")
    except BaseException as error:
        await connection.disconnect(nowait=True)
        if isinstance(error, RedisError | LostError | OSError):
            raise LostError(f"{address}: {reason_of(error)}") from error
        raise
    return connection


async def ask(connection: AbstractConnection, *words: Word, seconds: float | None = ANSWER_S) -> Any:
    """Send one command and wait for its answer. Raise ``RedisError``, and TimeoutError without one in time.

    Messages that come before the answer are dropped.
    """
    async with asyncio.timeout(seconds):
        await connection.send_command(*words)
        return await connection.read_response(disable_decoding=True)


async def subscribe(connection: AbstractConnection, *channels: str) -> None:
    """Subscribe to channels. Raise as :func:`ask` does."""
    async with asyncio.timeout(ANSWER_S):
        await connection.send_command("SUBSCRIBE", *channels)
        for _ in channels:  # each has an answer of its own, which is a push
            await connection.read_response(disable_decoding=True, push_request=True)
