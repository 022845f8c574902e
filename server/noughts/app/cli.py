"""The ``noughts`` command."""

from __future__ import annotations

import argparse
import asyncio
import errno
import fcntl
import gc
import http.client
import ipaddress
import json
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

import structlog
from aiohttp import web

from noughts import __version__
from noughts.app.endpoints.admin import read_secret
from noughts.app.runtime import config as settings
from noughts.app.runtime.config import SETTINGS, Config, SettingError
from noughts.app.runtime.telemetry import set_up_logs
from noughts.app.server import Server
from noughts.engine.book import NotProvedError
from noughts.engine.prove import progress_unit, provable, prove
from noughts.room.storage_v1 import upgrade_game, upgrade_room
from noughts.rules.variant import variant_named
from noughts.store.backend import single_node
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.migration import Migration
from noughts.store.sqlite.store import SqliteStore

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:  # not made for every platform
    from asyncio import new_event_loop

log = structlog.get_logger()

DATABASE = "noughts.db"


class UsageError(Exception):
    """The command cannot be carried out; the message says why and what to do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except (UsageError, SettingError, SchemaError, StoreUnavailableError) as wrong:
        print(f"noughts: {wrong}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    return status


class _Parser(argparse.ArgumentParser):
    """Takes flags by their whole names only: ``--grace`` is a slip of the pen, not ``--grace-ms``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="noughts", description="The tic-tac-toe server that people host themselves.")
    parser.add_argument("--version", action="version", version=f"noughts {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="serve the page, HTTP and WebSocket on one port")
    for setting in SETTINGS:
        default = setting.default or "empty"
        serve.add_argument(
            setting.flag,
            dest=setting.name,
            metavar="VALUE",
            help=f"{setting.help} ({setting.variable}; {default})".replace("%", "%%"),
        )
    serve.set_defaults(run=_serve)

    prove_ = commands.add_parser("prove", help="prove a variant's value and table again, showing how far it is")
    prove_.add_argument("variant", choices=provable())
    prove_.set_defaults(run=_prove)

    table = commands.add_parser("settings", help="print the page of all settings")
    table.set_defaults(run=_settings)

    rooms = commands.add_parser("rooms", help="list the rooms of the server that runs on a data directory")
    rooms.set_defaults(run=_rooms)
    close = commands.add_parser("close", help="close a room of that server")
    close.add_argument("id")
    close.set_defaults(run=_close)
    ban = commands.add_parser("ban", help="refuse an address, or list those that are refused")
    ban.add_argument("address", nargs="?")
    ban.add_argument("--lift", action="store_true", help="let the address in again")
    ban.set_defaults(run=_ban)
    for command in (rooms, close, ban):
        command.add_argument("--data", default=None, help="the server's data directory (NOUGHTS_DATA; data)")
    return parser


# --- serve --------------------------------------------------------------------------------------------------------


def _serve(parsed: argparse.Namespace) -> int:
    flags = {setting.name: getattr(parsed, setting.name) for setting in SETTINGS}
    config, warnings = settings.load({name: text for name, text in flags.items() if text is not None}, os.environ)
    set_up_logs(config.log_level, config.log_format)
    for warning in warnings:
        log.warning(warning)
    with _only_server(config.data), asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_run(config))


@contextmanager
def _only_server(data: Path) -> Iterator[None]:
    """Hold the data directory: two servers on one would each believe their own memory."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = (data / "lock").open("w")
    except OSError as wrong:
        raise UsageError(
            f"the data directory {data} cannot be used: {wrong.strerror}. Choose another with --data (make run DATA=...)."
        ) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(
                f"another server runs on {data}: stop it, or choose another directory with --data (make run DATA=...)."
            ) from None
        yield


async def _run(config: Config) -> int:
    store = SqliteStore(config.store or config.data / DATABASE, Migration(upgrade_room, upgrade_game, log.info))
    server = Server(config, single_node(store))
    runner = web.AppRunner(
        server.application(), handle_signals=False, access_log=None, shutdown_timeout=1.0, keepalive_timeout=30.0
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    await runner.setup()
    try:
        site = web.TCPSite(runner, config.host, config.port, backlog=1024)
        try:
            await site.start()
        except OSError as wrong:
            raise UsageError(_cannot_listen(config, wrong)) from None
        url = _address(runner)
        try:
            server.admin.write_secret(url)
        except OSError as wrong:
            raise UsageError(f"nothing can be written in {config.data}: {wrong.strerror}. Make room there.") from None
        # What is loaded by now stays; and the values of rooms hold no cycles, so that a rare look for garbage is enough.
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        print(f"Noughts is ready: open {config.public_url or url}", flush=True)
        for others in () if config.public_url else _addresses_for_others(runner):
            print(f"For others on your network: {others}", flush=True)
        await stop.wait()
        log.info("stopping")
    finally:
        server.admin.remove_secret()
        await runner.cleanup()
    return 0


def _cannot_listen(config: Config, wrong: OSError) -> str:
    """Why, in the system's own words: asyncio puts its own around them."""
    where = f"cannot listen on {config.host}:{config.port}"
    if isinstance(wrong, socket.gaierror) or wrong.errno == errno.EADDRNOTAVAIL:
        return f"{where}: this machine has no such address. Choose another with --host (make run HOST=127.0.0.1)."
    why = os.strerror(wrong.errno) if wrong.errno else str(wrong)
    return f"{where}: {why}. Choose another with --port (make run PORT=8001)."


_EVERY_ADDRESS: Final = MappingProxyType(
    {"0.0.0.0": (socket.AF_INET, "127.0.0.1", "192.0.2.1"), "::": (socket.AF_INET6, "::1", "2001:db8::1")}
)
"""What stands for every address of the machine: its family, the loopback, and an address far away (RFC 5737, RFC 3849)."""


def _address(runner: web.AppRunner) -> str:
    """Where this machine itself finds the server."""
    host, port = runner.addresses[0][:2]
    return _url(_EVERY_ADDRESS[host][1] if host in _EVERY_ADDRESS else host, port)


def _addresses_for_others(runner: web.AppRunner) -> Iterator[str]:
    """Where other machines find a server that listens on every address; nothing where this one has no network."""
    for host, port, *_ in runner.addresses:
        if host in _EVERY_ADDRESS:
            own = _own_address(host)
            if own is not None:
                yield _url(own, port)


def _own_address(every: str) -> str | None:
    """The machine's address on the way to the world. Nothing is sent: connecting a datagram socket only looks it up."""
    family, _, far = _EVERY_ADDRESS[every]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            own = ipaddress.ip_address(probe.getsockname()[0])
    except (OSError, ValueError):
        return None
    alone = own.is_loopback or own.is_unspecified or (own.version == 6 and own.is_link_local)
    return None if alone else str(own)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


# --- the engine ---------------------------------------------------------------------------------------------------


def _prove(parsed: argparse.Namespace) -> int:
    variant = variant_named(parsed.variant)
    counts = progress_unit(variant)
    shown_at = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal shown_at
        if time.monotonic() - shown_at >= 1.0:
            shown_at = time.monotonic()
            print(f"  {done:,} of {total:,} {counts}", file=sys.stderr, flush=True)

    try:
        proof = prove(variant, time.monotonic, show)
    except NotProvedError as wrong:
        print(f"noughts: not proved: {wrong}", file=sys.stderr)
        return 1
    verdict = proof.verdict
    plies = f" in {verdict.plies} plies" if verdict.plies is not None else ""
    print(f"{proof.variant}: {verdict.value} for X{plies} ({verdict.proof})")
    print(proof.claim)
    print(f"{proof.positions:,} positions, {proof.seconds:.1f} s, table {proof.digest}")
    return 0


# --- for the operator ---------------------------------------------------------------------------------------------


def _settings(parsed: argparse.Namespace) -> int:
    print(settings.markdown(), end="")
    return 0


_NO_ROOM: Final = "There is no such room here: see `noughts rooms`."
_NOT_THERE: Final = MappingProxyType({"unknown_room": _NO_ROOM, "not_found": _NO_ROOM})


def _ask(
    parsed: argparse.Namespace,
    method: str,
    path: str,
    body: object = None,
    sentences: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """The answer of the running server; ``sentences`` say to operators what a code means, in place of its message."""
    data = Path(parsed.data or os.environ.get("NOUGHTS_DATA") or "data")
    found = read_secret(data)
    if found is None:
        raise UsageError(f"no server runs on {data}: start one, or name its directory with --data.")
    url, token = found
    request = urllib.request.Request(
        url + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        message = f"the server answered {refused.code}"
        with suppress(OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            error = json.load(refused)["error"]
            message = sentences.get(error["code"], error["message"])
        raise UsageError(message) from None
    except (OSError, http.client.HTTPException, ValueError):  # nobody, or another program that has its port now
        raise UsageError(f"the server at {url} does not answer.") from None


def _rooms(parsed: argparse.Namespace) -> int:
    answer = _ask(parsed, "GET", "/admin/rooms")
    now = time.time()
    print(f"{'room':18} {'variant':14} {'phase':9} {'ply':>4} {'here':>5} {'unused':>8}  players")
    for room in answer["rooms"]:
        minutes = max(0.0, now - room["used_ms"] / 1000) / 60
        print(
            f"{room['id']:18} {room['variant']:14} {room['phase']:9} {room['ply']:>4} {room['connections']:>5}"
            f" {minutes:>6.0f} m  {', '.join(room['players'])}"
        )
    print(f"{answer['total']} rooms")
    return 0


def _close(parsed: argparse.Namespace) -> int:
    path = f"/admin/rooms/{quote(os.fsencode(parsed.id), safe='')}/close"
    print(f"closed {_ask(parsed, 'POST', path, sentences=_NOT_THERE)['closed']}")
    return 0


def _ban(parsed: argparse.Namespace) -> int:
    if parsed.address is None:
        if parsed.lift:
            raise UsageError("say which address to let in again: noughts ban --lift 203.0.113.9.")
        answer = _ask(parsed, "GET", "/admin/bans")
    else:
        answer = _ask(parsed, "POST", "/admin/bans", {"address": parsed.address, "banned": not parsed.lift})
    print("\n".join(answer["banned"]) or "nobody is banned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
