"""``noughts admin``, ``rooms``, ``close``, ``ban`` and more: the operator's commands to a running server of this machine."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import quote

from noughts.app.runtime.admin_secret import read_secrets
from noughts.app.runtime.config import add_setting_flags, settings_of
from noughts.command_line import UsageError, command_parser, part
from noughts.printable import printable

_NO_ROOM: Final = "there is no such room on this server: `noughts rooms` lists all rooms."
_NO_TOURNAMENT: Final = "there is no such tournament on this server: its id is the end of its page's address."
_NO_ROOM_MESSAGES: Final = MappingProxyType({"unknown_room": _NO_ROOM, "not_found": _NO_ROOM})
_NO_PLAYER: Final = (
    "there is no such player: `noughts players` lists those who are connected, and `noughts chat` names more."
)
_LOCAL: Final = re.compile(r"https?://(localhost|127\.[\d.]+|\[::1\])[:/]")
_NO_PLAYER_MESSAGES: Final = MappingProxyType({"not_found": _NO_PLAYER})


def main(arguments: Sequence[str]) -> int:
    """Run the command that the first argument names. Return the exit status."""
    name = arguments[0]
    parser = command_parser(name)
    if name in ("close", "chat"):
        what = ", or of a tournament" if name == "close" else ""
        parser.add_argument("id", metavar="ID", help=f"the id of a room, as `noughts rooms` lists it{what}")
    elif name == "recount":
        parser.add_argument("id", metavar="TOURNAMENT", help="the id at the end of the address of its page")
    elif name in ("rename", "forget"):
        parser.add_argument("id", metavar="PLAYER", help="the player's id, as `noughts players` lists it")
        if name == "rename":
            parser.add_argument("name", metavar="NAME", help="the new name")
    elif name == "ban":
        parser.add_argument(
            "address",
            nargs="?",
            metavar="ADDRESS|PLAYER",
            help="an address or a player's id; without it, list all bans",
        )
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
                ours = rejection["code"] != "not_found"  # a server answers so to a secret that is not its own
                message = messages.get(rejection["code"], rejection["message"] if ours else message)
            if ours:
                raise UsageError(message) from None
            reason = message  # a killed server left its file, and another one has its port now
        except (OSError, http.client.HTTPException, ValueError):  # no program, or another one, has its port now
            continue
    raise UsageError(reason)


def _admin(data: Path, parsed: argparse.Namespace) -> int:
    links = _ask(data, "POST", "/admin/codes")["links"]
    print("Open this link within ten minutes. It works once, and opens the admin page for twelve hours:")
    for link in links:
        print(link)
    if _LOCAL.match(links[0]):
        print(
            "It works on this machine only. For other devices, start the server with --host 0.0.0.0,"
            " or with a --public-url that they can open."
        )
        return 0
    if len(links) > 1:
        print("The last one works on this machine only. All have the same code.")
    if sys.stdout.isatty():
        print(part("link picture").link_picture(links[0]), end="")
    return 0


def _rooms(data: Path, parsed: argparse.Namespace) -> int:
    answer = _ask(data, "GET", "/admin/rooms")
    now_s = time.time()
    print(f"{'room':18} {'variant':14} {'phase':9} {'ply':>4} {'here':>5} {'unused':>8}  players")
    for room in answer["rooms"]:
        minutes = max(0.0, now_s - room["used_ms"] / 1000) / 60
        print(
            f"{room['id']:18} {room['variant']:14} {room['phase']:9} {room['ply']:>4} {room['connections']:>5}"
            f" {minutes:>6.0f} m  {printable(', '.join(room['players']))}"
        )
    total, count = answer["total"], len(answer["rooms"])
    print(f"the newest {count} of {total} rooms" if count < total else f"{total} room{'s' * (total != 1)}")
    return 0


def _players(data: Path, parsed: argparse.Namespace) -> int:
    players = _ask(data, "GET", "/admin/players")["players"]
    print(f"{'player':24} {'connected':>9}  {'address':39} {'node':24} name")
    for player in players:
        name = printable(player["name"]) + (" (bot)" if player["bot"] else "")
        minutes, node = player["seconds"] // 60, printable(player["node"])
        print(f"{player['player']:24} {minutes:>7} m  {player['address']:39} {node:24} {name}")
    print(f"{len(players)} connection{'s' * (len(players) != 1)}")
    return 0


def _chat(data: Path, parsed: argparse.Namespace) -> int:
    lines = _ask(data, "GET", f"/admin/rooms/{_in_path(parsed.id)}/chat", messages=_NO_ROOM_MESSAGES)["lines"]
    for line in lines:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(line["at_ms"] / 1000))
        print(f"{at}  {line['player']:18} {printable(line['name'] or 'someone')}: {printable(line['text'])}")
    print(f"{len(lines)} line{'s' * (len(lines) != 1)}, times in UTC")
    return 0


def _rename(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/players/{_in_path(parsed.id)}/rename"
    answer = _ask(data, "POST", path, {"name": parsed.name}, messages=_NO_PLAYER_MESSAGES)
    print(f"{answer['player']} is now {printable(answer['name'])}")
    return 0


def _forget(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/players/{_in_path(parsed.id)}/forget"
    print(f"deleted {_ask(data, 'POST', path, messages=_NO_PLAYER_MESSAGES)['deleted']}")
    return 0


def _in_path(text: str) -> str:
    return quote(os.fsencode(text), safe="")


def _nodes(data: Path, parsed: argparse.Namespace) -> int:
    now_s, nodes = time.time(), _ask(data, "GET", "/admin/nodes")["nodes"]
    print(f"{'node':24} {'version':10} {'age':>9} {'sockets':>7} {'rooms':>6} {'round trip':>10} {'clock':>9}  store")
    for node in nodes:
        minutes = max(0.0, now_s - node["started_ms"] / 1000) / 60
        print(
            f"{node['name']:24} {node['version']:10} {minutes:>7.0f} m {node['connections']:>7} {node['rooms']:>6}"
            f" {node['round_trip_ms']:>7.1f} ms {node['clock_offset_ms']:>+6} ms  {node['guarantee']}"
        )
    return 0


def _close(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/rooms/{_in_path(parsed.id)}/close"
    print(f"closed {_ask(data, 'POST', path, messages=_NO_ROOM_MESSAGES)['closed']}")
    return 0


def _recount(data: Path, parsed: argparse.Namespace) -> int:
    path = f"/admin/tournaments/{_in_path(parsed.id)}/recount"
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
        body = {"address": parsed.address, "banned": not parsed.lift}
        answer = _ask(data, "POST", "/admin/bans", body, messages=_NO_PLAYER_MESSAGES)
    print("\n".join(answer["banned"]) or "no address is banned")
    return 0


_RUN: Final[Mapping[str, Callable[[Path, argparse.Namespace], int]]] = MappingProxyType(
    {
        "admin": _admin,
        "rooms": _rooms,
        "players": _players,
        "chat": _chat,
        "rename": _rename,
        "forget": _forget,
        "nodes": _nodes,
        "close": _close,
        "recount": _recount,
        "ban": _ban,
    }
)
