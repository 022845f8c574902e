"""``noughts rooms``, ``nodes``, ``close``, ``recount`` and ``ban``: the commands of an operator to a running server."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from noughts.app.runtime.admin_secret import read_secrets
from noughts.app.runtime.config import add_setting_flags, settings_of
from noughts.command_line import UsageError, command_parser

_NO_ROOM: Final = "there is no such room on this server: `noughts rooms` lists all rooms."
_NO_TOURNAMENT: Final = "there is no such tournament on this server: its id is the end of its page's address."
_NO_ROOM_MESSAGES: Final = MappingProxyType({"unknown_room": _NO_ROOM, "not_found": _NO_ROOM})


def main(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names. Return the exit status."""
    name = arguments[0]
    parser = command_parser(name)
    if name == "close":
        parser.add_argument(
            "id", metavar="ID", help="the id of a room, as `noughts rooms` lists it, or of a tournament"
        )
    elif name == "recount":
        parser.add_argument("id", metavar="TOURNAMENT", help="the id at the end of the address of its page")
    elif name == "ban":
        parser.add_argument("address", nargs="?", metavar="ADDRESS", help="without one, all bans are listed")
        parser.add_argument("--lift", action="store_true", help="lift the ban")
    add_setting_flags(parser, "data")
    parsed = parser.parse_args(arguments[1:])
    return _RUN[name](settings_of(parsed).data, parsed)


def _ask(
    data: Path,
    method: str,
    path: str,
    body: object = None,
    messages: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Return the answer of the running server, or of the first node that answers. Raise :class:`UsageError`.

    ``messages`` replace those of some codes.
    """
    servers = read_secrets(data)
    if not servers:
        raise UsageError(f"no server runs on {data}: start one, or name its data directory with --data.")
    content = None if body is None else json.dumps(body).encode()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    reason = f"the server at {servers[0].url} does not answer: start it again."
    for url, secret in servers:
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
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


def _rooms(data: Path, parsed: argparse.Namespace) -> int:
    answer = _ask(data, "GET", "/admin/rooms")
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


def _nodes(data: Path, parsed: argparse.Namespace) -> int:
    now_s = time.time()
    print(f"{'node':24} {'version':10} {'age':>9} {'sockets':>7} {'rooms':>6} {'round trip':>10} {'clock':>9}  store")
    for node in _ask(data, "GET", "/admin/nodes")["nodes"]:
        minutes = max(0.0, now_s - node["started_ms"] / 1000) / 60
        print(
            f"{node['name']:24} {node['version']:10} {minutes:>7.0f} m {node['connections']:>7} {node['rooms']:>6}"
            f" {node['round_trip_ms']:>7.1f} ms {node['clock_offset_ms']:>+6} ms  {node['guarantee']}"
        )
    return 0


def _close(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/rooms/{quote(os.fsencode(parsed.id), safe='')}/close"
    print(f"closed {_ask(data, 'POST', path, messages=_NO_ROOM_MESSAGES)['closed']}")
    return 0


def _recount(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/tournaments/{quote(os.fsencode(parsed.id), safe='')}/recount"
    answer = _ask(data, "POST", path, messages={"unknown_tournament": _NO_TOURNAMENT})
    words = "the standings were wrong and are corrected" if answer["changed"] else "the standings are right"
    print(f"{answer['matches']} finished matches: {words}")
    return 0


def _ban(data: Path, parsed: argparse.Namespace) -> int:
    if parsed.address is None:
        if parsed.lift:
            raise UsageError("name the address whose ban to lift, such as: noughts ban --lift 203.0.113.9")
        answer = _ask(data, "GET", "/admin/bans")
    else:
        answer = _ask(data, "POST", "/admin/bans", {"address": parsed.address, "banned": not parsed.lift})
    print("\n".join(answer["banned"]) or "no address is banned")
    return 0


_RUN: Final[Mapping[str, Callable[[Path, argparse.Namespace], int]]] = MappingProxyType(
    {"rooms": _rooms, "nodes": _nodes, "close": _close, "recount": _recount, "ban": _ban}
)
