"""Whom the compose files trust, tried in a network of its own: the gateway, the proxy and another container ask a server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]

from tests.project.reading import ROOT
from tests.support.player import Api
from tests.support.programs import program
from tests.support.server import QUICK, RunningServer

GATEWAY: Final = "172.30.81.1"
"""Where visitors seem to come from behind rootless engines and IPv6."""
PROXY: Final = "172.30.81.2"
CONTAINER: Final = "172.30.81.130"
VISITOR: Final = "203.0.113.9"
SIGN_ON: Final = "Remote-User"


def settings_in(file: str, service: str) -> dict[str, str]:
    """Return the settings of a service, with a store in a file, and without the URL from which links are made."""
    services = yaml.safe_load((ROOT / "deploy" / file).read_text())["services"]
    environment: dict[str, str] = services[service]["environment"]
    kept = ("NOUGHTS_TRUSTED", "NOUGHTS_HOST")
    return {name: environment[name] for name in kept if name in environment}


async def seen_from(url: str, address: str) -> dict[str, Any]:
    """Return what a client with this address gets that claims to be a proxy. Status 0: it cannot connect."""
    api = Api(url, address=address)
    claims = {"X-Forwarded-For": f"127.0.0.1, {VISITOR}", "X-Forwarded-Proto": "wss, http", SIGN_ON: "boss"}
    try:
        _, player = await api.call("POST", "/api/players", {}, claims)
    except OSError:
        return {"status": 0}
    api.token = player["token"]
    _, room = await api.call("POST", "/api/rooms", {"variant": "classic", "opponent": "friend"}, claims)
    own = {"X-Forwarded-For": GATEWAY, "X-Forwarded-Proto": "https"}
    return {
        "status": 201,
        "name": player["player"]["name"],
        "scheme": room["url"].partition(":")[0],
        "metrics": [(await api.call("GET", "/metrics", None, headers))[0] for headers in ({}, claims, own)],
    }


def ask_all(data: Path, settings: dict[str, str]) -> None:
    """Give the loopback of a new network these addresses, serve, and print what each sees. Run by ``unshare``."""
    for words in ("link set lo up", *(f"address add {each}/24 dev lo" for each in (GATEWAY, PROXY, CONTAINER))):
        subprocess.run(["ip", *words.split()], check=True)
    server = RunningServer(data, {**QUICK, "NOUGHTS_HOST": "0.0.0.0", "NOUGHTS_NAME_HEADER": SIGN_ON, **settings})
    server.start()
    try:
        url = f"http://{PROXY}:{server.port}"
        seen = {each: asyncio.run(seen_from(url, each)) for each in (GATEWAY, PROXY, CONTAINER)}
        sys.stdout.write(json.dumps(seen) + "\n")
    finally:
        server.kill()


@pytest.mark.parametrize(("file", "service"), [("compose.yaml", "noughts"), ("compose.scale.yaml", "node1")])
def test_only_the_proxy_speaks_for_others(file: str, service: str, tmp_path: Path) -> None:
    program("ip", "iproute2")
    script = "import sys, json, pathlib; from tests.deploy.test_compose_networks import ask_all; "
    script += "ask_all(pathlib.Path(sys.argv[1]), json.loads(sys.argv[2]))"
    command = [program("unshare", "util-linux"), "--map-root-user", "--net", sys.executable, "-c", script]
    settings = json.dumps(settings_in(file, service))
    run = subprocess.run([*command, str(tmp_path), settings], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout.splitlines()[-1])
    if service == "noughts":  # it listens on the loopback alone, where only a proxy of this machine reaches it
        assert {each["status"] for each in seen.values()} == {0}
        return
    for address in (GATEWAY, CONTAINER):
        assert seen[address]["name"] != "boss"
        assert seen[address]["scheme"] == "http"
        assert seen[address]["metrics"] == [403, 403, 403]
    assert seen[PROXY]["name"] == "boss"
    assert seen[PROXY]["scheme"] == "https"
    assert seen[PROXY]["metrics"][1:] == [403, 403]
