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


def _judged(check: str, right: bool, good: str, bad: str) -> Finding:
    """Return the finding of a check, with the text for its result."""
    return Finding(check, right, good if right else bad)


# --- the machine ------------------------------------------------------------------------------------------------------


def file_system(kind: str, *, shared: bool) -> Finding:
    """Judge the type of the file system of the data."""
    bad = f"The data is on {kind}: move it to a disk of this machine (--data)."
    return _judged("file system", not shared, f"The data is on {kind or 'a local disk'}.", bad)


def free_space(free: int) -> Finding:
    """Judge the free bytes on the disk of the data."""
    text = f"{free / 1e6:,.0f} MB are free."
    return _judged("free space", free >= FREE_BYTES, text, f"{text} Make room on this disk.")


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
    text = f"{count} connections fit into the limit on open files"
    bad = f"Only {text}: raise it (ulimit -n, LimitNOFILE=)."
    return _judged("open files", count >= DESCRIPTORS, f"{text}.", bad)


def programs(fault: str | None) -> Finding:
    """Judge whether the engine's programs run here, which need address space and may make machine code."""
    bad = f"The engine's programs do not run: {fault}. Allow machine code (no MemoryDenyWriteExecute) and more memory."
    return _judged("engine", fault is None, "The engine's programs run.", bad)


def clock(now_ms: int, stored_ms: int | None, *, shared: bool = False) -> Finding:
    """Judge this machine's clock against the newest time in the data file, None without one.

    The nodes of a ``shared`` store take their time from it.
    """
    if shared:
        return Finding("clock", True, "The nodes use the clock of Redis, and none of their own.")
    if stored_ms is None:
        return Finding("clock", True, "There is no data file to compare this clock with.")
    ahead_s = (stored_ms - now_ms) / 1000
    bad = f"The data is {ahead_s:,.0f} s ahead of this clock: set the clock (NTP)."
    return _judged("clock", ahead_s * 1000 <= CLOCK_MS, "The clock is not behind the data.", bad)


def port(fault: str) -> Finding:
    """Judge whether the port is free, or a server of Noughts answers there."""
    bad = f"The port cannot be used: {fault}. End the other program, or choose another --port."
    return _judged("port", not fault, "The port is free, or Noughts serves there.", bad)


def newest_backup(age_h: float | None, every_h: int) -> Finding:
    """Judge the age of the newest good backup, None without one."""
    most_h = 2 * every_h if every_h else BACKUP_HOURS
    if age_h is None:
        return Finding("backup", False, "No backup is known: start the server with --backup-hours 24.")
    text = f"The newest backup is {age_h:.0f} hours old."
    bad = f"{text} Look into the log for why none is made, or run `noughts backup`."
    return _judged("backup", age_h <= most_h, text, bad)


def trust(warnings: Sequence[str]) -> Finding:
    """Judge the trusted addresses by the warnings of the start."""
    return Finding("trust", not warnings, " ".join(warnings) or "No network wider than a proxy is trusted.")


# --- from outside -----------------------------------------------------------------------------------------------------


def name_resolves(url: str, addresses: Sequence[str]) -> Finding:
    """Judge whether the name in the URL leads to an address."""
    host = urlsplit(url).hostname
    bad = f"{host} has no address: set its DNS record, or check the spelling."
    return _judged("name", bool(addresses), f"{host} leads to {', '.join(addresses)}.", bad)


def tls(url: str, days: float | None, reason: str) -> Finding:
    """Judge the certificate. ``days`` are those that are left, None if there is no good certificate."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        local = parts.hostname == "localhost" or _is_private(parts.hostname or "")
        bad = "Without TLS anybody on the way can read everything: set it up at the proxy."
        return _judged("TLS", local, "There is no TLS.", bad)
    if days is None:
        text = f"The certificate is not accepted: {reason}. Renew it, with all intermediate ones."
        return Finding("TLS", False, text)
    text = f"The certificate is good for {days:.0f} days."
    return _judged("TLS", days >= TLS_DAYS, text, f"{text} Renew it: the proxy should do so.")


def _is_private(host: str) -> bool:
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def path(seen: Answer) -> Finding:
    """Judge whether a request with the sub-path reaches the server as it was sent."""
    why = seen.reason or f"status {seen.status}"
    bad = (
        f"Noughts does not answer at this URL ({why}). The proxy must reach it, and pass the path"
        " on unchanged: see --base-path."
    )
    return _judged("path", isinstance(seen.body, dict) and "url" in seen.body, "Noughts answers at this URL.", bad)


def scheme_and_host(url: str, seen: Mapping[str, object]) -> Finding:
    """Judge whether links begin with the URL that people open."""
    own = str(seen["url"])
    text = f"Links begin with {own}"
    bad = f"{text}: pass Host and X-Forwarded-Proto on, name the proxy in --trusted, or set --public-url."
    return _judged("links", own.rstrip("/") == url.rstrip("/"), f"{text}.", bad)


def proxy_trusted(seen: Mapping[str, object]) -> Finding:
    """Judge whether the proxy is named in ``trusted``."""
    bad = "The server ignores X-Forwarded-For of the proxy: name the proxy's address in --trusted. The log has it."
    return _judged("proxy", not seen["unnamed_proxy"], f"The server sees this machine as {seen['address']}.", bad)


def upgrade(status: int) -> Finding:
    """Judge the answer to a WebSocket's handshake. 101 is right."""
    bad = f"A WebSocket is answered with {status or 'nothing'}: the proxy must pass Upgrade and Connection on."
    return _judged("WebSocket", status == 101, "The proxy passes the upgrade on.", bad)


def unbuffered(pong: bool) -> Finding:
    """Judge whether the answer to a small message came at once."""
    bad = "A small message was held back: switch buffering off at the proxy."
    return _judged("buffering", pong, "Small messages arrive at once.", bad)


def idle(lived_s: float, wanted_s: float) -> Finding:
    """Judge how long a silent WebSocket lived."""
    bad = f"A silent WebSocket was closed after {lived_s:.0f} s: raise the proxy's idle time-out over 60 s."
    return _judged("idle connections", lived_s >= wanted_s, f"A silent WebSocket lives for {wanted_s:.0f} s.", bad)


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
    bad = f"A body of 100 kB is answered with {answer.status or answer.reason}: let the proxy pass 128 kB."
    return _judged("body size", answer.status == 401, "Bodies of 100 kB pass.", bad)


def header_limit(answer: Answer) -> Finding:
    """Judge the answer to a request with a large header."""
    bad = f"A header of 4 kB is answered with {answer.status or answer.reason}: let the proxy pass 8 kB."
    return _judged("header size", answer.status == 200, "Headers of 4 kB pass.", bad)


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
    guest_is_known = bool(answers) and all(answer.status == 200 for answer in answers)
    bad = "Several servers with stores of their own answer at this URL: leave one, or give all one Redis (--store)."
    return _judged("nodes", guest_is_known, "Every connection reaches the same store.", bad)
