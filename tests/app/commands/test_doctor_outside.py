"""``noughts doctor URL`` behind a right nginx and Caddy, and behind proxies each of which does one thing wrong."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from noughts.app.commands.doctor_outside import examine
from noughts.app.delivery import front_door
from tests.deploy.test_proxies import caddy_environment, caddyfile, nginx_command, nginx_files, wait_until_up
from tests.support.broken_proxy import broken_proxy
from tests.support.local_server import LocalServer, local_server
from tests.support.ports import free_port
from tests.support.programs import program

TRUSTED: Final = (ipaddress.ip_network("127.0.0.1"),)
SILENT_S: Final = 0.5


async def failed_checks(url: str, idle_s: float = SILENT_S) -> list[str]:
    """Return the names of the checks that fail."""
    return [finding.check for finding in await examine(url, idle_s=idle_s, push_off=True) if not finding.right]


@asynccontextmanager
async def running(command: Sequence[str], url: str, environment: Mapping[str, str] | None = None) -> AsyncIterator[str]:
    """Run a proxy until the block ends. Yield its URL once it answers."""
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        await asyncio.to_thread(wait_until_up, f"{url}/api/variants")
        yield url
    finally:
        process.terminate()
        process.wait(10.0)


@asynccontextmanager
async def behind_nginx(
    directory: Path, server: LocalServer, old: str = "", new: str = "", tls: str = ""
) -> AsyncIterator[str]:
    """Run nginx with the site file of deploy/, in which one line may be replaced. ``tls`` has the lines for HTTPS."""
    port = free_port()
    main = nginx_files(directory, port, (server.port, server.port))
    site = directory / "site.conf"
    text = site.read_text()
    assert old in text
    if old:
        text = text.replace(old, new)
    if tls:
        plain = free_port()  # to see that nginx is up
        text = text.replace(f"listen 127.0.0.1:{port};", f"listen 127.0.0.1:{plain}; listen 127.0.0.1:{port} {tls}")
    site.write_text(text)
    async with running(nginx_command(main), f"http://127.0.0.1:{plain if tls else port}"):
        yield f"http://127.0.0.1:{port}"


def write_certificate(certificate: Path, key: Path, days: int) -> None:
    """Write a certificate of localhost that signs itself, and its key."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    built = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days, hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(built.public_bytes(Encoding.PEM))
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def examined(url: str, authority: Path | None) -> list[dict[str, Any]]:
    """Return what the command finds in a process that accepts one authority more."""
    command = [sys.executable, "-m", "noughts", "doctor", url, "--json", "--idle", str(SILENT_S), "--port", "0"]
    environment = {**os.environ, **({} if authority is None else {"SSL_CERT_FILE": str(authority)})}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    findings: list[dict[str, Any]] = json.loads(process.stdout)["findings"]
    return findings


@asynccontextmanager
async def behind_caddy(directory: Path, server: LocalServer) -> AsyncIterator[str]:
    """Run Caddy with the file of deploy/."""
    port = free_port()
    command = [program("caddy"), "run", "--config", str(caddyfile(directory)), "--adapter", "caddyfile"]
    environment = caddy_environment(directory, port, (server.port, server.port))
    async with running(command, f"http://127.0.0.1:{port}", environment) as url:
        yield url


async def test_a_server_without_a_proxy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        assert await failed_checks(server.url) == []


async def test_nginx_with_the_site_of_deploy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server, behind_nginx(tmp_path, server) as url:
        assert await failed_checks(url) == []


async def test_caddy_with_the_file_of_deploy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server, behind_caddy(tmp_path, server) as url:
        assert await failed_checks(url) == []


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("proxy_set_header Upgrade $http_upgrade;", "", "WebSocket"),
        ("server_name _;", "server_name _; client_max_body_size 10k;", "body size"),
        ("server_name _;", "server_name _; large_client_header_buffers 2 2k;", "header size"),
        ("proxy_set_header Host $http_host;", "proxy_set_header Host games.example.org;", "links"),
        ("proxy_read_timeout 90s;", "proxy_read_timeout 1s;", "idle connections"),
    ],
    ids=["upgrade", "body", "header", "host", "idle"],
)
async def test_nginx_with_one_wrong_line_fails_one_check(tmp_path: Path, old: str, new: str, check: str) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server, behind_nginx(tmp_path, server, old, new) as url:
        assert await failed_checks(url, 3.0 if check == "idle connections" else SILENT_S) == [check]


@pytest.mark.parametrize(
    ("fault", "check"), [("", None), ("scheme", "links"), ("buffering", "buffering"), ("keep-alive", "keep-alive")]
)
async def test_a_proxy_with_one_fault_fails_one_check(tmp_path: Path, fault: str, check: str | None) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server, broken_proxy(server.url, fault=fault) as url:
        assert await failed_checks(url) == ([check] if check else [])


@pytest.mark.parametrize("proxy", [behind_nginx, behind_caddy])
async def test_a_proxy_that_keeps_idle_connections_for_longer_than_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: Callable[..., AbstractAsyncContextManager[str]]
) -> None:
    """The server notices that it closes a connection first. With its own time, it does not."""
    monkeypatch.setattr(front_door, "KEEP_ALIVE_OF_PROXY_S", SILENT_S)
    async with local_server(tmp_path, trusted=TRUSTED) as server, proxy(tmp_path, server) as url:
        assert await failed_checks(url, 3.0) == ["keep-alive"]


@pytest.mark.parametrize(
    ("days", "accepted", "wrong"),
    [(60, True, ["notices"]), (3, True, ["TLS", "notices"]), (60, False, ["TLS", "path"])],
)
async def test_the_certificate_and_its_days(tmp_path: Path, days: int, accepted: bool, wrong: list[str]) -> None:
    """Of a real nginx, examined by the command, because a process reads the accepted authorities once.

    The server has neither a public name nor an address of mail, so it can send no notices.
    """
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    write_certificate(certificate, key, days)
    async with local_server(tmp_path, trusted=TRUSTED) as server:
        lines = f"ssl; ssl_certificate {certificate}; ssl_certificate_key {key};"
        async with behind_nginx(tmp_path, server, tls=lines) as url:
            findings = await asyncio.to_thread(
                examined, url.replace("http://127.0.0.1", "https://localhost"), certificate if accepted else None
            )
    outside = findings[[finding["check"] for finding in findings].index("name") :]
    assert [finding["check"] for finding in outside if not finding["right"]] == wrong
    (text,) = [finding["text"] for finding in outside if finding["check"] == "TLS"]
    assert f" {days} days" in text or (not accepted and "self-signed" in text)


async def test_a_proxy_that_strips_the_path(tmp_path: Path) -> None:
    """With and without a base path on the server."""
    (tmp_path / "sub").mkdir()
    async with (
        local_server(tmp_path, trusted=TRUSTED) as root,
        local_server(tmp_path / "sub", trusted=TRUSTED, base_path="/games") as sub,
        broken_proxy(root.url, fault="prefix") as stripping,
        broken_proxy(f"http://{sub.host}:{sub.port}", fault="prefix") as stripping_sub,
        broken_proxy(f"http://{sub.host}:{sub.port}") as right,
    ):
        assert await failed_checks(f"{stripping}/games") == ["links"]
        assert await failed_checks(f"{stripping_sub}/games") == ["path"]
        assert await failed_checks(f"{right}/games") == []


async def test_a_proxy_that_is_not_trusted(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server, broken_proxy(server.url) as url:
        assert await failed_checks(url) == ["proxy"]


async def test_two_servers_with_stores_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    async with (
        local_server(tmp_path, trusted=TRUSTED) as one,
        local_server(tmp_path / "other", trusted=TRUSTED) as two,
        broken_proxy(one.url, two.url) as url,
    ):
        assert "nodes" in await failed_checks(url)


async def test_nobody_answers() -> None:
    assert await failed_checks(f"http://127.0.0.1:{free_port()}") == ["path"]
    assert await failed_checks("https://name.invalid") == ["name", "TLS", "path"]
