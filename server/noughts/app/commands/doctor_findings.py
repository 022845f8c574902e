"""What ``noughts doctor`` finds: one judgement for each check, made from facts that were collected before.

Each function takes facts and returns a :class:`Finding`, so that a test can give it the facts of any machine.
"""

from __future__ import annotations

import ipaddress
import stat
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from noughts.app.runtime.limits import KEEP_ALIVE_OF_PROXY_S

FREE_BYTES: Final = 500 * 1024 * 1024
"""Free space under which a year of play or a backup may fill the disk."""
DESCRIPTORS: Final = 1_024
CLOCK_MS: Final = 5_000
BACKUP_HOURS: Final = 7 * 24
"""The greatest age of the newest backup where the server makes none by itself."""
TLS_DAYS: Final = 14
IDLE_S: Final = 65.0
"""A proxy must keep a silent WebSocket for a minute."""
BODY_BYTES: Final = 100 * 1024
HEADER_BYTES: Final = 4 * 1024
PROBES: Final = 6


class Finding(NamedTuple):
    """The result of one check. ``text`` says what is, and if it is wrong what to do."""

    check: str
    right: bool
    text: str


class Answer(NamedTuple):
    """What a request got: a status, or 0 and why there was none. ``body`` is the parsed JSON, None for anything else."""

    status: int
    body: object = None
    reason: str = ""


# --- the machine ------------------------------------------------------------------------------------------------------


def file_system(kind: str, *, shared: bool) -> Finding:
    """Judge the type of the file system of the data."""
    if shared:
        return Finding("file system", False, f"The data is on {kind}: move it to a disk of this machine (--data).")
    return Finding("file system", True, f"The data is on {kind or 'a local disk'}.")


def free_space(free: int) -> Finding:
    """Judge the free bytes on the disk of the data."""
    text = f"{free / 1e6:,.0f} MB are free."
    return Finding("free space", free >= FREE_BYTES, text if free >= FREE_BYTES else f"{text} Make room on this disk.")


def file_rights(account: int, files: Mapping[str, tuple[int, int]] | None) -> Finding:
    """Judge owners and modes of the files of the data. ``account`` is the owner of the directory.

    ``files`` is None for a directory that this account may not look into.
    """
    if files is None:
        return Finding("files", False, "This account may not look into the data directory: run this as its owner.")
    foreign = [name for name, (owner, _) in files.items() if owner != account]
    if foreign:
        names = ", ".join(foreign)
        return Finding("files", False, f"Other accounts own {names}: give them to the owner of the directory (chown).")
    readable = [name for name, (_, mode) in files.items() if mode & (stat.S_IRWXG | stat.S_IRWXO)]
    if readable:
        return Finding("files", False, f"Other accounts can read {', '.join(readable)}: run chmod 600 on them.")
    return Finding("files", True, "All files belong to the owner of the directory alone.")


def descriptors(count: int) -> Finding:
    """Judge how many connections fit into the limit on open files."""
    if count < DESCRIPTORS:
        text = f"Only {count} connections fit into the limit on open files: raise it (ulimit -n, LimitNOFILE=)."
        return Finding("open files", False, text)
    return Finding("open files", True, f"{count} connections fit into the limit on open files.")


def programs(fault: str | None) -> Finding:
    """Judge whether the engine's programs run here, which need address space and may make machine code."""
    if fault is None:
        return Finding("engine", True, "The engine's programs run.")
    text = f"The engine's programs do not run: {fault}. Allow machine code (no MemoryDenyWriteExecute) and more memory."
    return Finding("engine", False, text)


def clock(now_ms: int, stored_ms: int | None, *, shared: bool = False) -> Finding:
    """Judge this machine's clock against the newest time in the data file, None without one.

    The nodes of a ``shared`` store take their time from it.
    """
    if shared:
        return Finding("clock", True, "The nodes use the clock of Redis, and none of their own.")
    if stored_ms is None:
        return Finding("clock", True, "There is no data file to compare this clock with.")
    ahead_s = (stored_ms - now_ms) / 1000
    if ahead_s * 1000 > CLOCK_MS:
        return Finding("clock", False, f"The data is {ahead_s:,.0f} s ahead of this clock: set the clock (NTP).")
    return Finding("clock", True, "The clock is not behind the data.")


def port(fault: str) -> Finding:
    """Judge whether the port is free, or a server of Noughts answers there."""
    if fault:
        return Finding(
            "port", False, f"The port cannot be used: {fault}. End the other program, or choose another --port."
        )
    return Finding("port", True, "The port is free, or Noughts serves there.")


def newest_backup(age_h: float | None, every_h: int) -> Finding:
    """Judge the age of the newest good backup, None without one."""
    most_h = 2 * every_h if every_h else BACKUP_HOURS
    if age_h is None:
        return Finding("backup", False, "No backup is known: start the server with --backup-hours 24.")
    text = f"The newest backup is {age_h:.0f} hours old."
    if age_h > most_h:
        return Finding("backup", False, f"{text} Look into the log for why none is made, or run `noughts backup`.")
    return Finding("backup", True, text)


def trust(warnings: Sequence[str]) -> Finding:
    """Judge the trusted addresses by the warnings of the start."""
    return Finding("trust", not warnings, " ".join(warnings) or "No network wider than a proxy is trusted.")


# --- from outside -----------------------------------------------------------------------------------------------------


def name_resolves(url: str, addresses: Sequence[str]) -> Finding:
    """Judge whether the name in the URL leads to an address."""
    host = urlsplit(url).hostname
    if not addresses:
        return Finding("name", False, f"{host} has no address: set its DNS record, or check the spelling.")
    return Finding("name", True, f"{host} leads to {', '.join(addresses)}.")


def tls(url: str, days: float | None, reason: str) -> Finding:
    """Judge the certificate. ``days`` are those that are left, None if there is no good certificate."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        local = parts.hostname == "localhost" or _is_private(parts.hostname or "")
        text = (
            "There is no TLS."
            if local
            else "Without TLS anybody on the way can read everything: set it up at the proxy."
        )
        return Finding("TLS", local, text)
    if days is None:
        return Finding(
            "TLS", False, f"The certificate is not accepted: {reason}. Renew it, with all intermediate ones."
        )
    text = f"The certificate is good for {days:.0f} days."
    return Finding("TLS", days >= TLS_DAYS, text if days >= TLS_DAYS else f"{text} Renew it: the proxy should do so.")


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def path(seen: Answer) -> Finding:
    """Judge whether a request with the sub-path reaches the server as it was sent."""
    if isinstance(seen.body, dict) and "url" in seen.body:
        return Finding("path", True, "Noughts answers at this URL.")
    why = seen.reason or f"status {seen.status}"
    text = (
        f"Noughts does not answer at this URL ({why}). The proxy must reach it, and pass the path"
        " on unchanged: see --base-path."
    )
    return Finding("path", False, text)


def scheme_and_host(url: str, seen: Mapping[str, object]) -> Finding:
    """Judge whether links begin with the URL that people open."""
    own = str(seen["url"])
    if own.rstrip("/") == url.rstrip("/"):
        return Finding("links", True, f"Links begin with {own}.")
    text = (
        f"Links begin with {own}: pass Host and X-Forwarded-Proto on, name the proxy in --trusted, or set --public-url."
    )
    return Finding("links", False, text)


def proxy_trusted(seen: Mapping[str, object]) -> Finding:
    """Judge whether the proxy is named in ``trusted``."""
    if seen["unnamed_proxy"]:
        text = "The server ignores X-Forwarded-For of the proxy: name the proxy's address in --trusted. The log has it."
        return Finding("proxy", False, text)
    return Finding("proxy", True, f"The server sees this machine as {seen['address']}.")


def upgrade(status: int) -> Finding:
    """Judge the answer to a WebSocket's handshake. 101 is right."""
    if status == 101:
        return Finding("WebSocket", True, "The proxy passes the upgrade on.")
    text = f"A WebSocket is answered with {status or 'nothing'}: the proxy must pass Upgrade and Connection on."
    return Finding("WebSocket", False, text)


def unbuffered(pong: bool) -> Finding:
    """Judge whether the answer to a small message came at once."""
    if pong:
        return Finding("buffering", True, "Small messages arrive at once.")
    return Finding("buffering", False, "A small message was held back: switch buffering off at the proxy.")


def idle(lived_s: float, wanted_s: float) -> Finding:
    """Judge how long a silent WebSocket lived."""
    if lived_s >= wanted_s:
        return Finding("idle connections", True, f"A silent WebSocket lives for {wanted_s:.0f} s.")
    text = f"A silent WebSocket was closed after {lived_s:.0f} s: raise the proxy's idle time-out over 60 s."
    return Finding("idle connections", False, text)


def keep_alive(answers: Sequence[Answer]) -> Finding:
    """Judge which side closes idle connections between the proxy and the server. ``answers`` came after a rest."""
    bad = [answer for answer in answers if answer.status != 200]
    if bad:
        what = f"After a rest, a request was answered with {bad[0].status or bad[0].reason}"
    elif any(isinstance(answer.body, dict) and answer.body.get("outlived_proxy") for answer in answers):
        what = "The server has closed an idle connection of the proxy, so a request may fail"
    else:
        return Finding("keep-alive", True, "The server has not had to close an idle connection of the proxy.")
    text = f"{what}: the proxy must keep idle connections for less than {KEEP_ALIVE_OF_PROXY_S:.0f} s."
    return Finding("keep-alive", False, text)


def body_limit(answer: Answer) -> Finding:
    """Judge the answer to a large body without a token: the server's own is 401."""
    if answer.status == 401:
        return Finding("body size", True, "Bodies of 100 kB pass.")
    text = f"A body of 100 kB is answered with {answer.status or answer.reason}: let the proxy pass 128 kB."
    return Finding("body size", False, text)


def header_limit(answer: Answer) -> Finding:
    """Judge the answer to a request with a large header."""
    if answer.status == 200:
        return Finding("header size", True, "Headers of 4 kB pass.")
    text = f"A header of 4 kB is answered with {answer.status or answer.reason}: let the proxy pass 8 kB."
    return Finding("header size", False, text)


def push(url: str, answer: Answer, *, switched_off: bool) -> Finding:
    """Judge whether devices can subscribe to notices. Browsers take them over HTTPS alone."""
    key = answer.body.get("key") if isinstance(answer.body, dict) else None
    if key:
        return Finding("notices", True, "Notices can be sent.")
    if switched_off or not url.startswith("https://"):
        reason = "are switched off" if switched_off else "need HTTPS, so there are none"
        return Finding("notices", True, f"Notices {reason}.")
    text = (
        "Notices are off: set --public-url to the https URL on a public name, or --contact. Else set NOUGHTS_PUSH=off."
    )
    return Finding("notices", False, text)


def one_store(answers: Sequence[Answer]) -> Finding:
    """Judge whether a new guest is known at each of several connections."""
    strange = [answer for answer in answers if answer.status != 200]
    if strange or not answers:
        text = (
            "Several servers with stores of their own answer at this URL: leave one, or give all one Redis (--store)."
        )
        return Finding("nodes", False, text)
    return Finding("nodes", True, "Every connection reaches the same store.")
