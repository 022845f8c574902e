"""One connection to the primary: redis-py connects, authenticates, packs and parses. Its public names are enough.

No part of redis-py that sends a command again by itself is used: a script that ran twice would be carried out twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

from hiredis import pack_command
from redis.asyncio.connection import AbstractConnection, Connection, parse_url
from redis.exceptions import RedisError

from noughts.store.address import RedisAddress
from noughts.store.redis.failures import ANSWER_S, LostError, reason_of
from noughts.store.redis.scripts import Word

Answer: TypeAlias = Any
"""An answer of Redis as hiredis parsed it. The command or the script says what it holds."""

CLOSED: Final = "the connection to Redis was closed"

pack: Final = cast("Callable[[tuple[Word, ...]], bytes]", pack_command)  # its stub allows one word


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
            await connection.connect()
        (role, *_) = await ask(connection, "ROLE")
        if role != b"master":
            raise LostError("this is a replica: name its primary")
    except BaseException as error:
        await connection.disconnect(nowait=True)
        if isinstance(error, RedisError | LostError | OSError):
            raise LostError(f"{address}: {reason_of(error)}") from error
        if isinstance(error, RuntimeError):
            raise LostError(f"{address}: {CLOSED}") from error  # see `send`
        raise
    return connection


async def send(connection: AbstractConnection, commands: bytes) -> None:
    """Send packed commands. Raise :class:`LostError` or ``RedisError`` if the connection is lost."""
    if not connection.is_connected:  # redis-py would connect again, and send without the setup
        raise LostError(CLOSED)
    try:
        await connection.send_packed_command(commands, check_health=False)
    except RuntimeError as error:  # uvloop's, when the server has reset the connection
        raise LostError(CLOSED) from error


async def ask(connection: AbstractConnection, *words: Word, seconds: float | None = ANSWER_S) -> Answer:
    """Send one command and wait for its answer. Raise ``RedisError``, and TimeoutError without one in time.

    Messages that come before the answer are dropped.
    """
    async with asyncio.timeout(seconds):
        await send(connection, pack(words))
        return await connection.read_response(disable_decoding=True)


async def subscribe(connection: AbstractConnection, *channels: str) -> None:
    """Subscribe to channels. Raise as :func:`ask` does."""
    async with asyncio.timeout(ANSWER_S):
        await send(connection, pack(("SUBSCRIBE", *channels)))
        for _ in channels:  # each has an answer of its own, which is a push
            await connection.read_response(disable_decoding=True, push_request=True)
