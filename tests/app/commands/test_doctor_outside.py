"""``noughts doctor URL`` behind a right nginx and Caddy, and behind proxies each of which does one thing wrong."""

from __future__ import annotations

import asyncio
import ipaddress
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from noughts.app.commands.doctor_outside import examine
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
async def behind_nginx(directory: Path, server: LocalServer, old: str = "", new: str = "") -> AsyncIterator[str]:
    """Run nginx with the site file of deploy/, in which one line may be replaced."""
    port = free_port()
    main = nginx_files(directory, port, (server.port, server.port))
    site = directory / "site.conf"
    assert old in site.read_text()
    site.write_text(site.read_text().replace(old, new) if old else site.read_text())
    async with running(nginx_command(main), f"http://127.0.0.1:{port}") as url:
        yield url


async def test_a_server_without_a_proxy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path) as server:
        assert await failed_checks(server.url) == []


async def test_nginx_with_the_site_of_deploy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server, behind_nginx(tmp_path, server) as url:
        assert await failed_checks(url) == []


async def test_caddy_with_the_file_of_deploy_is_right(tmp_path: Path) -> None:
    async with local_server(tmp_path, trusted=TRUSTED) as server:
        port = free_port()
        command = [program("caddy"), "run", "--config", str(caddyfile(tmp_path)), "--adapter", "caddyfile"]
        environment = caddy_environment(tmp_path, port, (server.port, server.port))
        async with running(command, f"http://127.0.0.1:{port}", environment) as url:
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
