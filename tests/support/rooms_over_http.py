"""Rooms made over HTTP, for tests that need no connection."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

from tests.support.server import RunningServer


def post(server: RunningServer, path: str, body: object, token: str = "") -> Any:
    """Return the answer to a request without a proxy."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as answer:
        return json.load(answer)


def new_room(server: RunningServer) -> str:
    """Return the id of a new room against the engine."""
    token = post(server, "/api/players", {})["token"]
    room = post(server, "/api/rooms", {"variant": "classic", "opponent": "engine"}, token)["room"]
    return str(room["id"])
