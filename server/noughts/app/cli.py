"""The operator's commands: serve, prove a variant, print the settings, and the admin commands."""

from __future__ import annotations

import argparse
import asyncio
import errno
import gc
import http.client
import importlib
import json
import os
import re
import secrets
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

import structlog
from aiohttp import http_parser, web

from noughts import __version__
from noughts.app.endpoints.admin import read_secrets
from noughts.app.endpoints.requests import public_base
from noughts.app.runtime import config as settings
from noughts.app.runtime.config import SETTINGS, Config, SettingError
from noughts.app.runtime.data_directory import DATABASE, only_server, private_files
from noughts.app.runtime.descriptors import raise_limit
from noughts.app.runtime.listening import local_url, urls_for_others
from noughts.app.runtime.log_writer import LogWriter
from noughts.app.runtime.telemetry import set_up_logs
from noughts.app.server import Server
from noughts.command_line import COMMANDS, Parser, UsageError
from noughts.engine.book import NotProvedError
from noughts.engine.prove import progress_unit, provable, prove
from noughts.room.storage_v1 import upgrade_game, upgrade_room
from noughts.rules.variant import variant_named
from noughts.store.address import RedisAddress
from noughts.store.backend import Backend, single_node
from noughts.store.contract import SchemaError, StoreUnavailableError
from noughts.store.sqlite.migration import Migration
from noughts.store.sqlite.store import SqliteStore

new_event_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    from uvloop import new_event_loop
except ImportError:  # uvloop does not exist for every platform
    from asyncio import new_event_loop

log = structlog.get_logger()

STANDARD_ERROR: Final = 2
"""The descriptor to which the log is written."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Return the exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except (UsageError, SettingError, SchemaError, StoreUnavailableError) as error:
        print(f"noughts: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="noughts", description="A self-hosted tic-tac-toe server.")
    parser.add_argument("--version", action="version", version=f"noughts {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help=COMMANDS["serve"].help)
    for setting in SETTINGS:
        default = setting.default or "empty"
        serve.add_argument(
            setting.flag,
            dest=setting.name,
            metavar="VALUE",
            help=f"{setting.help} ({setting.variable}; {default})".replace("%", "%%"),
        )
    serve.set_defaults(run=_serve)

    prove_command = commands.add_parser("prove", help=COMMANDS["prove"].help)
    prove_command.add_argument("variant", choices=provable())
    prove_command.set_defaults(run=_prove)

    settings_command = commands.add_parser("settings", help=COMMANDS["settings"].help)
    settings_command.set_defaults(run=_settings)

    rooms = commands.add_parser("rooms", help=COMMANDS["rooms"].help)
    rooms.set_defaults(run=_rooms)
    close = commands.add_parser("close", help=COMMANDS["close"].help)
    close.add_argument("id")
    close.set_defaults(run=_close)
    ban = commands.add_parser("ban", help=COMMANDS["ban"].help)
    ban.add_argument("address", nargs="?")
    ban.add_argument("--lift", action="store_true", help="lift the ban")
    ban.set_defaults(run=_ban)
    nodes = commands.add_parser("nodes", help="list the running nodes of a store")
    nodes.set_defaults(run=_nodes)
    for command in (rooms, close, ban, nodes):
        command.add_argument("--data", default=None, help="data directory of the running server (NOUGHTS_DATA; data)")
    return parser


# --- serve --------------------------------------------------------------------------------------------------------


def _serve(parsed: argparse.Namespace) -> int:
    flags = {setting.name: getattr(parsed, setting.name) for setting in SETTINGS}
    config, warnings = settings.load({name: text for name, text in flags.items() if text is not None}, os.environ)
    with LogWriter(STANDARD_ERROR) as log_writer:
        set_up_logs(config.log_level, config.log_format, config.shown_name, log_writer)
        for warning in warnings:
            log.warning(warning)
        return _serve_with(config, log_writer)


def _serve_with(config: Config, log_writer: LogWriter) -> int:
    if http_parser.HttpRequestParser is http_parser.HttpRequestParserPy:
        log.warning(
            "aiohttp parses HTTP in Python, which is slower and not the parser that is tested:"
            " install aiohttp from a wheel and unset AIOHTTP_NO_EXTENSIONS"
        )
    raise_limit()
    # Nodes that share Redis keep nothing in the data directory, and several may run on one machine.
    shared = isinstance(config.store, RedisAddress)
    with (
        private_files(),
        nullcontext() if shared else only_server(config.data),
        asyncio.Runner(loop_factory=new_event_loop) as runner,
    ):
        return runner.run(_run(config, log_writer))


def _backend(config: Config) -> Backend:
    """Return the backend that the settings choose. Raise :class:`UsageError` if the password cannot be read."""
    address = config.store
    if not isinstance(address, RedisAddress):
        return single_node(
            SqliteStore(address or config.data / DATABASE, Migration(upgrade_room, upgrade_game, log.info), log.warning)
        )
    if config.store_password_file is not None:
        try:
            password = config.store_password_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"the file of --store-password-file cannot be read: {error}.") from None
        address = replace(address, password=password)
    # The client of Redis takes 0.2 to 0.3 s to import. A server on a file must not wait for that.
    redis = importlib.import_module("noughts.store.redis.backend")
    node = f"{_plain(config.node_name or socket.gethostname())}-{secrets.token_hex(4)}"
    backend: Backend = redis.redis_backend(address, node, config.store_prefix, config.store_replicas, log.info)
    return backend


def _plain(name: str) -> str:
    """Return a name as it may stand in a key of Redis."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", name)[:40]


async def _run(config: Config, log_writer: LogWriter) -> int:
    server = Server(config, _backend(config), log_writer)
    runner = web.AppRunner(server.application(), handle_signals=False, access_log=None, shutdown_timeout=1.0)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP for the server
            loop.add_signal_handler(number, stop.set)
    await runner.setup()
    try:
        site = server.site(runner, config.host, config.port)
        try:
            await site.start()
        except OSError as error:
            raise UsageError(_cannot_listen(config, error)) from None
        url = local_url(runner.addresses[0]) + config.base_path
        _write_secret(server, config, url)
        # Everything loaded by now stays. Rooms are values without cycles, so the collector may run rarely.
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        print(f"Noughts is ready: open {public_base(config) or url}", flush=True)
        for others_url in () if config.public_url else urls_for_others(runner.addresses):
            print(f"For others on your network: {others_url}{config.base_path}", flush=True)
        await stop.wait()
        log.info("stopping", drain_s=config.drain_s)
        server.drain()
        await asyncio.sleep(config.drain_s)
    finally:
        server.admin.remove_secret()
        await runner.cleanup()
        gc.freeze()  # the process ends: to collect what its rooms and connections leave would take seconds
    return 0


def _write_secret(server: Server, config: Config, url: str) -> None:
    """Write what the admin commands need. A node that shares Redis serves without it where its directory is read-only."""
    shared = isinstance(config.store, RedisAddress)
    try:
        if shared:
            config.data.mkdir(parents=True, exist_ok=True)
        server.admin.write_secret(url)
    except OSError as error:
        if not shared:
            raise UsageError(
                f"the server cannot write to {config.data}: {error.strerror}. Free some space there."
            ) from None
        log.info("admin commands cannot use this node: it cannot write to its data directory", reason=error.strerror)


def _cannot_listen(config: Config, error: OSError) -> str:
    """Return why the server cannot listen, in the words of the system: asyncio puts words of its own around them."""
    where = f"cannot listen on {config.host}:{config.port}"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{where}: this machine has no such address. Choose another one with --host (make run HOST=127.0.0.1)."
    reason = os.strerror(error.errno) if error.errno else str(error)
    return f"{where}: {reason}. Choose another port with --port (make run PORT=8001)."


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
    except NotProvedError as error:
        print(f"noughts: not proved: {error}", file=sys.stderr)
        return 1
    verdict = proof.verdict
    plies = f" in {verdict.plies} plies" if verdict.plies is not None else ""
    print(f"{proof.variant}: {verdict.value} for X{plies} ({verdict.proof})")
    print(proof.claim)
    print(f"{proof.positions:,} positions, {proof.seconds:.1f} s, table {proof.digest}")
    return 0


# --- admin commands ------------------------------------------------------------------------------------------------


def _settings(parsed: argparse.Namespace) -> int:
    print(settings.markdown(), end="")
    return 0


_NO_ROOM: Final = "there is no such room on this server: `noughts rooms` lists all rooms."
_NO_ROOM_MESSAGES: Final = MappingProxyType({"unknown_room": _NO_ROOM, "not_found": _NO_ROOM})


def _ask(
    parsed: argparse.Namespace,
    method: str,
    path: str,
    body: object = None,
    messages: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Return the answer of the running server, or of the first node that answers. Raise :class:`UsageError`.

    ``messages`` replace those of some codes.
    """
    data = Path(parsed.data or os.environ.get("NOUGHTS_DATA") or "data")
    secrets_here = read_secrets(data)
    if not secrets_here:
        raise UsageError(f"no server runs on {data}: start one, or name its data directory with --data.")
    content = None if body is None else json.dumps(body).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    reason = f"the server at {secrets_here[0][0]} does not answer: start it again."
    for url, token in secrets_here:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(url + path, method=method, data=content, headers=headers)
        try:
            with opener.open(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            message = f"the server at {url} answered {error.code}: another program may have its port now."
            ours = False
            with suppress(OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
                rejection = json.load(error)["error"]
                message = messages.get(rejection["code"], rejection["message"])
                ours = error.code != HTTPStatus.UNAUTHORIZED
            if ours:
                raise UsageError(message) from None
            reason = message  # a killed server left its file, and another one has its port now
        except (OSError, http.client.HTTPException, ValueError):  # no program, or another one, has its port now
            continue
    raise UsageError(reason)


def _rooms(parsed: argparse.Namespace) -> int:
    answer = _ask(parsed, "GET", "/admin/rooms")
    now_s = time.time()
    print(f"{'room':18} {'variant':14} {'phase':9} {'ply':>4} {'here':>5} {'unused':>8}  players")
    for room in answer["rooms"]:
        minutes = max(0.0, now_s - room["used_ms"] / 1000) / 60
        print(
            f"{room['id']:18} {room['variant']:14} {room['phase']:9} {room['ply']:>4} {room['connections']:>5}"
            f" {minutes:>6.0f} m  {', '.join(room['players'])}"
        )
    print(f"{answer['total']} rooms")
    return 0


def _nodes(parsed: argparse.Namespace) -> int:
    now_s = time.time()
    print(f"{'node':24} {'version':10} {'age':>9} {'sockets':>7} {'rooms':>6} {'round trip':>10} {'clock':>9}  store")
    for node in _ask(parsed, "GET", "/admin/nodes")["nodes"]:
        minutes = max(0.0, now_s - node["started_ms"] / 1000) / 60
        print(
            f"{node['name']:24} {node['version']:10} {minutes:>7.0f} m {node['connections']:>7} {node['rooms']:>6}"
            f" {node['round_trip_ms']:>7.1f} ms {node['clock_offset_ms']:>+6} ms  {node['guarantee']}"
        )
    return 0


def _close(parsed: argparse.Namespace) -> int:
    path = f"/admin/rooms/{quote(os.fsencode(parsed.id), safe='')}/close"
    print(f"closed {_ask(parsed, 'POST', path, messages=_NO_ROOM_MESSAGES)['closed']}")
    return 0


def _ban(parsed: argparse.Namespace) -> int:
    if parsed.address is None:
        if parsed.lift:
            raise UsageError("name the address whose ban to lift, such as: noughts ban --lift 203.0.113.9")
        answer = _ask(parsed, "GET", "/admin/bans")
    else:
        answer = _ask(parsed, "POST", "/admin/bans", {"address": parsed.address, "banned": not parsed.lift})
    print("\n".join(answer["banned"]) or "no address is banned")
    return 0


if __name__ == "__main__":
    sys.exit(main())
