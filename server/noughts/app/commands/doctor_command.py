"""``noughts doctor``: examine this machine, and with a URL the way from the internet to the server."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from noughts.app.commands import doctor_findings as judge
from noughts.app.commands import doctor_outside
from noughts.app.commands.doctor_findings import Finding
from noughts.app.commands.stores import store_of
from noughts.app.runtime.addresses import local_url
from noughts.app.runtime.backups import noted_backup
from noughts.app.runtime.config import Config, add_setting_flags, settings_of
from noughts.app.runtime.data_directory import DATABASE, file_system_of, is_shared
from noughts.app.runtime.descriptors import connection_capacity, raise_limit
from noughts.app.runtime.trust import default_gateways, trust_warnings
from noughts.app.search.programs import program_trial
from noughts.command_line import UsageError, command_parser
from noughts.store.address import RedisAddress
from noughts.store.contract import StoreUnavailableError
from noughts.store.sqlite.restoring import summary_of

HOUR_MS = 3_600_000


def main(arguments: Sequence[str]) -> int:
    """Run the command. Return 0 if everything is right, else 1."""
    parser = command_parser("doctor", "Give it the settings of the server, as variables or flags.")
    parser.add_argument("url", metavar="URL", nargs="?", help="the URL that people open, to examine the proxy too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--idle", metavar="SECONDS", type=float, default=judge.IDLE_S, help="how long a WebSocket is left silent (65)"
    )
    add_setting_flags(parser)
    parsed = parser.parse_args(arguments[1:])
    config = settings_of(parsed)
    findings = on_machine(config)
    if parsed.url is not None:
        if not parsed.url.startswith(("http://", "https://")):
            raise UsageError("the URL must begin with http:// or https://.")
        outside = doctor_outside.examine(parsed.url, idle_s=parsed.idle, push_off=not config.push)
        findings += asyncio.run(outside)
    failures = sum(not finding.right for finding in findings)
    if parsed.json:
        print(json.dumps({"right": not failures, "findings": [finding._asdict() for finding in findings]}, indent=2))
    else:
        for finding in findings:
            print(f"{'right' if finding.right else 'WRONG'}  {finding.check}: {finding.text}")
        print("Everything is right." if not failures else f"{failures} of {len(findings)} checks failed.")
    return 1 if failures else 0


def on_machine(config: Config) -> list[Finding]:
    """Return the findings about this machine. It changes nothing."""
    raise_limit()
    place = _existing(config.data)
    kind = file_system_of(place)
    owner = place.stat().st_uid
    now_ms, backup_ms = time.time_ns() // 1_000_000, noted_backup(config.data)
    with program_trial() as fault:
        programs = judge.programs(fault())
    return [
        judge.file_system(kind, shared=is_shared(kind) and not config.any_file_system),
        judge.free_space(shutil.disk_usage(place).free),
        judge.file_rights(owner, _files(config.data)),
        judge.descriptors(connection_capacity()),
        programs,
        judge.clock(now_ms, _stored_ms(config), shared=isinstance(store_of(config), RedisAddress)),
        judge.port(_port_fault(config)),
        judge.newest_backup((now_ms - backup_ms) / HOUR_MS if backup_ms else None, config.backup_hours),
        judge.trust(trust_warnings(config, default_gateways())),
    ]


def _existing(path: Path) -> Path:
    """Return a path, or the nearest directory above it that exists."""
    path = path.absolute()
    return path if os.path.exists(path) else _existing(path.parent)  # False too where this account may not look


def _files(data: Path) -> dict[str, tuple[int, int]] | None:
    """Return owner and mode of each file in the data directory whose name is of the server's making.

    Return None for a directory that this account may not look into.
    """
    files = {}
    try:
        for path in data.iterdir():
            if path.is_file() and path.name.startswith((DATABASE, "lock", "admin", "backup")):
                entry = path.stat()
                files[path.name] = (entry.st_uid, entry.st_mode)
    except PermissionError:
        return None
    except OSError:
        pass  # there is no such directory yet
    return files


def _stored_ms(config: Config) -> int | None:
    """Return the newest time in the data file; None without a file that can be read, and with Redis."""
    store = store_of(config)
    if isinstance(store, Path) and os.path.exists(store):
        with suppress(StoreUnavailableError, OSError):
            return summary_of(store).newest_ms
    return None


def _port_fault(config: Config) -> str:
    """Return why the port cannot be used; empty if it is free or a server of Noughts answers."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    with socket.socket(family) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind((config.host, config.port))
        except OSError as error:
            return "" if asyncio.run(_serves(config)) else str(error.strerror)
    return ""


async def _serves(config: Config) -> bool:
    url = local_url((config.host, config.port)) + config.base_path
    answer = await doctor_outside.Visitor(url).ask("GET", "/api/seen")
    return isinstance(answer.body, dict) and "unnamed_proxy" in answer.body
