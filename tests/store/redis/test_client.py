"""Connecting to a primary: by its address, with passwords and TLS."""

from __future__ import annotations

import asyncio
import socket
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop
from redis.exceptions import RedisError

from noughts.store.address import RedisAddress, store_address
from noughts.store.redis.client import ask, connect, send
from noughts.store.redis.failures import LostError
from tests.support.ports import free_port
from tests.support.redis_server import RedisFarm


async def primary_port(text: str) -> int:
    """Return the port of the primary. Raise :class:`LostError`."""
    address = store_address(text)
    assert isinstance(address, RedisAddress)
    connection = await connect(address, "tester")
    try:
        assert await ask(connection, "SET", "{noughts}:x", "1") == b"OK"
        answer = await ask(connection, "CONFIG", "GET", "*port")
    finally:
        await connection.disconnect(nowait=True)
    return int(answer[b"tls-port" if text.startswith("rediss") else b"port"])


async def test_a_server(farm: RedisFarm) -> None:
    redis = farm.server(appendonly="no")
    assert await primary_port(redis.url) == redis.port
    assert await primary_port(f"{redis.url}/5") == redis.port
    with pytest.raises(LostError, match="out of range"):
        await primary_port(f"{redis.url}/99")


async def test_a_socket_of_the_system(farm: RedisFarm, tmp_path: Path) -> None:
    redis = farm.server(appendonly="no", unixsocket=tmp_path / "redis.sock")
    assert await primary_port(f"unix://{tmp_path}/redis.sock") == redis.port


async def test_no_server() -> None:
    with pytest.raises(LostError, match=r": Connection refused$"):
        await primary_port(f"redis://127.0.0.1:{free_port()}")


def reset(writer: asyncio.StreamWriter) -> None:
    """End a connection in such a way that what the other side writes is an error."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@pytest.mark.parametrize("new_event_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_server_that_resets_at_once(new_event_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """Redis, or a proxy before it, may accept and go."""

    async def evening() -> None:
        async with await asyncio.start_server(lambda reader, writer: reset(writer), "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            for _ in range(20):
                with pytest.raises(LostError, match=f"^redis://127.0.0.1:{port}: "):
                    await primary_port(f"redis://127.0.0.1:{port}")

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(evening())


@pytest.mark.parametrize("new_event_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_connection_that_is_reset_is_lost(new_event_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """Whatever the event loop raises then."""

    async def evening() -> None:
        greeting = (b"%1\r\n$5\r\nproto\r\n:3\r\n", b"+OK\r\n", b"*1\r\n$6\r\nmaster\r\n", None)

        async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for answer in greeting:
                await reader.read(1_000)
                if answer is not None:
                    writer.write(answer)
            reset(writer)

        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            address = store_address(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            assert isinstance(address, RedisAddress)
            connection = await connect(address, "tester")
            await send(connection, b"X")
            await asyncio.sleep(0.05)
            with pytest.raises((LostError, RedisError)):
                await send(connection, b"Y")
            await connection.disconnect(nowait=True)

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(evening())


async def test_a_lost_connection_is_not_made_again(farm: RedisFarm) -> None:
    """redis-py would connect, and send: without the subscriptions, and maybe to another server."""
    address = store_address(farm.server(appendonly="no").url)
    assert isinstance(address, RedisAddress)
    connection = await connect(address, "tester")
    await connection.disconnect(nowait=True)
    with pytest.raises(LostError, match="was closed"):
        await send(connection, b"PING\r\n")
    assert not connection.is_connected


async def test_a_server_that_does_not_answer() -> None:
    server = socket.create_server(("127.0.0.1", 0))  # the system accepts, and nothing reads
    with server, pytest.raises(LostError, match="no answer within 1 s"):
        await primary_port(f"redis://127.0.0.1:{server.getsockname()[1]}")


async def test_a_replica_is_rejected(farm: RedisFarm) -> None:
    primary = farm.server(appendonly="no")
    replica = farm.replica(primary, appendonly="no")
    with pytest.raises(LostError, match="is a replica: name its primary"):
        await primary_port(replica.url)


async def test_an_account_and_a_password(farm: RedisFarm) -> None:
    """No reason of a rejection repeats the password."""
    redis = farm.server(appendonly="no")
    redis.command(
        "ACL", "SETUSER", "noughts", "on", ">s3cret", "~{noughts}:*", "resetchannels", "&{noughts}:*", "+@all"
    )
    redis.command("ACL", "SETUSER", "default", "off")
    assert await primary_port(f"redis://noughts:s3cret@127.0.0.1:{redis.port}") == redis.port
    for credentials in ("", "noughts:wr0ng@", ":s3cret@"):
        with pytest.raises(LostError, match="--store-password-file") as raised:
            await primary_port(f"redis://{credentials}127.0.0.1:{redis.port}")
        assert "wr0ng" not in str(raised.value)
        assert "s3cret" not in str(raised.value)


async def test_tls(farm: RedisFarm, tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    tls_port = free_port()
    farm.server(
        None,
        appendonly="no",
        tls_port=tls_port,
        tls_cert_file=certificate,
        tls_key_file=key,
        tls_ca_cert_file=certificate,
        tls_auth_clients="no",
    )
    assert await primary_port(f"rediss://127.0.0.1:{tls_port}?ca={certificate}") == tls_port
    with pytest.raises(LostError, match="certificate"):
        await primary_port(f"rediss://127.0.0.1:{tls_port}")
