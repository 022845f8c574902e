"""The proxies of deploy/: two nodes behind each, which are restarted in turn while people play."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.project.reading import ROOT
from tests.support.player import WAIT_S, Api, enter, friends_room, guest
from tests.support.ports import free_port
from tests.support.programs import output_of, program
from tests.support.redis_server import redis_farm
from tests.support.server import QUICK, RunningServer

DEPLOY = ROOT / "deploy"
DRAIN_S = 3


class Proxy(NamedTuple):
    """A proxy that listens."""

    url: str

    @property
    def ws_url(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"


def nginx_files(directory: Path, port: int, nodes: tuple[int, int]) -> Path:
    """Write the site of deploy/ with other ports, and a main file that includes it. Return the main file."""
    site = (DEPLOY / "nginx" / "noughts.conf").read_text()
    site = site.replace("listen 80;", f"listen 127.0.0.1:{port};")
    for old, new in zip((8001, 8002), nodes, strict=True):
        site = site.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    (directory / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [
        "user root;" if os.geteuid() == 0 else "",
        "daemon off; pid nginx.pid; error_log error.log; events {} http {",
        "access_log off;",
        *(f"{kind}_temp_path {directory}/{kind};" for kind in kinds),
        f"include {directory}/site.conf; }}",
    ]
    main = directory / "nginx.conf"
    main.write_text("\n".join(lines))
    return main


def nginx_command(main: Path) -> list[str]:
    return [program("nginx", "nginx-light"), "-e", "error.log", "-p", str(main.parent), "-c", str(main)]


def caddy_environment(directory: Path, port: int, nodes: tuple[int, int]) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(directory),
        "XDG_DATA_HOME": str(directory),
        "XDG_CONFIG_HOME": str(directory),
        "SITE": f"http://127.0.0.1:{port}",
        "NODES": " ".join(f"127.0.0.1:{node}" for node in nodes),
    }


CADDYFILE = DEPLOY / "caddy" / "Caddyfile"


def caddyfile(directory: Path) -> Path:
    """Copy the Caddyfile, without the port on which Caddy takes commands."""
    path = directory / "Caddyfile"
    path.write_text("{\n\tadmin off\n}\n" + CADDYFILE.read_text())
    return path


def test_the_configuration_of_nginx_is_valid(tmp_path: Path) -> None:
    output_of(*nginx_command(nginx_files(tmp_path, free_port(), (8001, 8002))), "-t")


def test_the_configuration_of_caddy_is_valid_and_formatted(tmp_path: Path) -> None:
    environment = caddy_environment(tmp_path, free_port(), (8001, 8002))
    output_of(program("caddy"), "validate", "--config", CADDYFILE, "--adapter", "caddyfile", env=environment)
    assert output_of(program("caddy"), "fmt", CADDYFILE) == CADDYFILE.read_text()


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningServer, RunningServer]]:
    """Start two nodes over one Redis. They trust a proxy on this machine."""
    tmp_path = tmp_path_factory.mktemp("nodes")
    with redis_farm(tmp_path / "redis") as farm, ExitStack() as stack:
        settings = {
            **QUICK,
            "NOUGHTS_STORE": farm.server().url,
            "NOUGHTS_WORKERS": "1",
            "NOUGHTS_TRUSTED": "127.0.0.1",
            "NOUGHTS_DRAIN_S": str(DRAIN_S),
        }
        one, two = (RunningServer(tmp_path / name, settings) for name in ("one", "two"))
        for node in (one, two):
            stack.callback(node.kill)
            node.start()
        yield one, two


@pytest.fixture(scope="module")
def proxies(
    tmp_path_factory: pytest.TempPathFactory, nodes: tuple[RunningServer, RunningServer]
) -> Iterator[tuple[Proxy, Proxy]]:
    """Start Caddy and nginx in front of both nodes."""
    tmp_path = tmp_path_factory.mktemp("proxies")
    ports = nodes[0].port, nodes[1].port
    caddy_port, nginx_port = free_port(), free_port()
    caddy = [program("caddy"), "run", "--config", str(caddyfile(tmp_path)), "--adapter", "caddyfile"]
    processes = [
        subprocess.Popen(caddy, env=caddy_environment(tmp_path, caddy_port, ports), stderr=subprocess.DEVNULL),
        subprocess.Popen(nginx_command(nginx_files(tmp_path, nginx_port, ports)), stderr=subprocess.DEVNULL),
    ]
    try:
        for port in (caddy_port, nginx_port):
            wait_until_up(f"http://127.0.0.1:{port}/api/variants")
        yield Proxy(f"http://127.0.0.1:{caddy_port}"), Proxy(f"http://127.0.0.1:{nginx_port}")
    finally:
        for process in processes:
            process.terminate()
            process.wait(10.0)


def wait_until_up(url: str) -> None:
    end_s = time.monotonic() + WAIT_S
    while time.monotonic() < end_s:
        with suppress(URLError, ConnectionError), urlopen(url, timeout=5.0) as answer:
            answer.read()
            return
        time.sleep(0.05)
    raise AssertionError(f"{url} does not answer")


async def keep_asking(proxy: Proxy, ended: asyncio.Event) -> list[int]:
    """Request the variants until the event. Return the statuses."""
    statuses = []
    while not ended.is_set():
        statuses.append((await Api(proxy.url).call("GET", "/api/variants"))[0])
        with suppress(TimeoutError):
            async with asyncio.timeout(0.1):
                await ended.wait()
    return statuses


async def test_both_proxies_serve_while_the_nodes_are_restarted_in_turn(
    nodes: tuple[RunningServer, RunningServer], proxies: tuple[Proxy, Proxy]
) -> None:
    """No request fails, players come back through the proxy, and every acknowledged move is there."""
    caddy, nginx = proxies
    ann, ben = await guest(caddy.url, "Ann"), await guest(nginx.url, "Ben")
    answer = await friends_room(caddy, ann)
    room = answer["room"]["id"]
    async with enter(caddy, room, ann), enter(nginx, room, ben) as o:
        await o.ok("sit", mark="O", invite=answer["invite"])
    cells = iter(("b2", "a1", "c3"))
    ended = asyncio.Event()
    statuses = [asyncio.create_task(keep_asking(proxy, ended)) for proxy in proxies]
    try:
        async with enter(caddy, room, ann) as x:
            await x.ok("move", game=1, ply=0, cell=next(cells))
        for ply, node in enumerate(nodes, 1):
            assert await asyncio.to_thread(node.stop) == 0
            # One node is gone, and the player whose turn it is moves through its proxy.
            proxy, player = (nginx, ben) if ply == 1 else (caddy, ann)
            async with enter(proxy, room, player) as socket:
                await socket.ok("move", game=1, ply=ply, cell=next(cells))
            await asyncio.to_thread(node.start)
            await asyncio.to_thread(wait_until_up, f"{node.url}/readyz")
    finally:
        ended.set()
        seen = [status for task in statuses for status in await task]
    assert set(seen) == {200}, seen
    async with enter(nginx, room, ann) as x:
        assert x.last["room"]["room"]["game"]["moves"] == ["b2", "a1", "c3"]


async def test_the_server_sees_the_client_behind_each_proxy(
    nodes: tuple[RunningServer, RunningServer], proxies: tuple[Proxy, Proxy]
) -> None:
    """A link begins as the page was opened, and no client sees metrics through a proxy."""
    for proxy in proxies:
        answer = await friends_room(proxy, await guest(proxy.url))
        assert answer["url"].startswith(f"{proxy.url}/")
        assert (await Api(proxy.url).call("GET", "/metrics"))[0] in (403, 404)
