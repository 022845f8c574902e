"""The requests of ``noughts doctor`` to a public URL, as a visitor's browser sends them."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp

from noughts.app.commands import doctor_findings as judge
from noughts.app.commands.doctor_findings import Answer, Finding

ANSWER_S: Final = 10.0
PONG_S: Final = 3.0
DAY_S: Final = 86_400
_FAULTS: Final = (aiohttp.ClientError, OSError, TimeoutError, ValueError)


class Visitor:
    """Sends requests to a URL, each on a connection of its own."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    def session(self) -> aiohttp.ClientSession:
        """Return a session that keeps no connection."""
        timeout = aiohttp.ClientTimeout(total=ANSWER_S)
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True), timeout=timeout)

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Return the answer to one request."""
        try:
            async with (
                self.session() as session,
                session.request(method, self.url + path, json=body, headers=headers, allow_redirects=False) as response,
            ):
                data = await response.read()
                try:
                    return Answer(response.status, json.loads(data))
                except ValueError:
                    return Answer(response.status)
        except _FAULTS as error:
            return Answer(0, reason=str(error) or type(error).__name__)


async def examine(url: str, *, idle_s: float, push_off: bool) -> list[Finding]:
    """Return the findings about a URL. Without an answer of Noughts, the later checks are left out."""
    visitor = Visitor(url)
    addresses = await asyncio.to_thread(_addresses, visitor.url)
    days, reason = await asyncio.to_thread(_certificate, visitor.url)
    seen = await visitor.ask("GET", "/api/seen")
    findings = [judge.name_resolves(url, addresses), judge.tls(url, days, reason), judge.path(seen)]
    if not findings[-1].right or not isinstance(seen.body, dict):
        return findings
    findings += [judge.scheme_and_host(url, seen.body), judge.proxy_trusted(seen.body)]
    large = "x" * judge.BODY_BYTES
    findings += [
        judge.body_limit(await visitor.ask("POST", "/api/tournaments", {"name": large})),
        judge.header_limit(await visitor.ask("GET", "/api/seen", **{"X-Filler": "x" * judge.HEADER_BYTES})),
        judge.push(url, await visitor.ask("GET", "/api/push"), switched_off=push_off),
        judge.one_store(await _as_guest(visitor)),
    ]
    return [*findings, *await _silence(visitor, idle_s)]


def _addresses(url: str) -> list[str]:
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(urlsplit(url).hostname, None)})
    except OSError:
        return []


def _certificate(url: str) -> tuple[float | None, str]:
    """Return the days that are left of the certificate, or None and why there is no good one."""
    parts = urlsplit(url)
    if parts.scheme != "https" or parts.hostname is None:
        return None, ""
    try:
        with (
            socket.create_connection((parts.hostname, parts.port or 443), ANSWER_S) as line,
            ssl.create_default_context().wrap_socket(line, server_hostname=parts.hostname) as secured,
        ):
            certificate: dict[str, Any] = dict(secured.getpeercert() or {})
            return (ssl.cert_time_to_seconds(certificate["notAfter"]) - time.time()) / DAY_S, ""
    except (OSError, KeyError) as error:
        return None, str(error)


async def _as_guest(visitor: Visitor) -> list[Answer]:
    """Make a guest, ask for it at several connections, and delete it."""
    creation = await visitor.ask("POST", "/api/players", {})
    if creation.status != 201 or not isinstance(creation.body, dict):
        return [creation]
    token = f"Bearer {creation.body['token']}"
    answers = [await visitor.ask("GET", "/api/players/me", Authorization=token) for _ in range(judge.PROBES)]
    await visitor.ask("DELETE", "/api/players/me", Authorization=token)
    return answers


async def _silence(visitor: Visitor, idle_s: float) -> list[Finding]:
    """Open a WebSocket, leave it silent, and send requests after that rest."""
    findings = []
    try:
        async with (
            visitor.session() as session,
            session.ws_connect(visitor.url + "/ws", timeout=aiohttp.ClientWSTimeout(ws_close=1.0)) as line,
        ):
            findings.append(judge.upgrade(101))
            await line.send_json({"type": "hello", "protocol": 1, "lobby": True})
            await line.send_json({"type": "ping", "id": "doctor"})
            pong = await _within(PONG_S, line, lambda message: message.get("type") == "pong")
            findings.append(judge.unbuffered(pong))
            if pong:
                # The WebSocket took a connection of the proxy to the server. This request leaves an idle one.
                await visitor.ask("GET", "/api/seen")
                began_s = time.monotonic()
                await _within(idle_s, line, lambda message: False)
                findings.append(judge.idle(time.monotonic() - began_s, idle_s))
    except aiohttp.WSServerHandshakeError as error:
        return [judge.upgrade(error.status)]
    except _FAULTS:
        return findings or [judge.upgrade(0)]
    return [*findings, judge.keep_alive([await visitor.ask("GET", "/api/seen") for _ in range(judge.PROBES)])]


async def _within(seconds: float, line: aiohttp.ClientWebSocketResponse, wanted: Callable[[Any], bool]) -> bool:
    """Return whether a wanted message comes within some seconds. Return at once when the connection ends."""
    try:
        async with asyncio.timeout(seconds):
            async for message in line:
                if message.type is aiohttp.WSMsgType.TEXT and wanted(json.loads(message.data)):
                    return True
    except TimeoutError:
        pass
    return False
