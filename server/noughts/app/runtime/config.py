"""Every setting, in one table: flag, variable, default, help. The command line and ``docs/settings.md`` come from it.

A setting's flag is its name with dashes, its variable ``NOUGHTS_`` and its name in capitals; a flag goes before a
variable. Nothing needs to be set.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from noughts.app.runtime.addresses import Network
from noughts.room.policy import Policy

PREFIX: Final = "NOUGHTS_"


class SettingError(Exception):
    """A setting has a value that cannot be used; the message says which and what would do."""


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise SettingError(f"must be a whole number, not {text!r}") from None
        if not low <= number <= high:
            raise SettingError(f"must be from {low} to {high}, not {number}")
        return number

    return parse


def _switch(text: str) -> bool:
    if text.lower() in ("on", "1", "true", "yes"):
        return True
    if text.lower() in ("off", "0", "false", "no"):
        return False
    raise SettingError(f"must be on or off, not {text!r}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(name, strict=False) for name in _names(text))
    except ValueError:
        raise SettingError(f"must be addresses or networks, separated by commas, not {text!r}") from None


def _split(text: str) -> SplitResult | None:
    """The parts of an address with a scheme and a host; None where it has none, or a part that no address has."""
    try:
        parts = urlsplit(text)
        sound = (
            re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", parts.hostname or "") and parts.port != 0 and parts.username is None
        )
    except ValueError:
        return None
    return parts if sound and text.isprintable() and not set(text) & set(' ?#\\<>"') else None


def _base(text: str) -> str:
    parts = _split(text) if text else None
    if text and (parts is None or parts.scheme not in ("http", "https")):
        raise SettingError(
            f"must be http:// or https:// and a host, and a path if need be, such as https://games.example.org, not {text!r}"
        )
    return text


def _origins(text: str) -> tuple[str, ...]:
    """As browsers write them: in small letters, without the port that the scheme has anyhow."""
    found = []
    for name in _names(text):
        parts = _split(name)
        if parts is None or parts.path not in ("", "/") or not name.isascii():
            raise SettingError(
                f"must be scheme://host or scheme://host:port, such as https://club.example.org, not {name!r}"
            )
        usual = {"http": ":80", "https": ":443"}.get(parts.scheme)
        host = parts.netloc.lower().removesuffix(":")
        found.append(f"{parts.scheme}://{host.removesuffix(usual) if usual else host}")
    return tuple(found)


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise SettingError(f"must be one of {', '.join(words)}, not {text!r}")
        return text

    return parse


def _store(text: str) -> Path | None:
    """Parse where everything is kept: ``sqlite:PATH``, or empty for the file in the data directory."""
    scheme, separator, path = text.partition(":")
    if not text:
        return None
    if scheme != "sqlite" or not separator or not path or path.startswith("//"):
        raise SettingError(f"must be sqlite:PATH, such as sqlite:data/noughts.db, not {text!r}")
    return Path(path)


def _setting(default: Any, parse: Callable[[str], Any], text: str) -> Any:
    return field(default=default, metadata={"parse": parse, "help": text})


HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = _setting("127.0.0.1", str, "The address to listen on; 0.0.0.0 for every one.")
    port: int = _setting(8000, _whole(0, 65_535), "The port; 0 takes a free one.")
    data: Path = _setting(Path("data"), Path, "The directory that holds everything: rooms, games, players.")
    store: Path | None = _setting(
        None,
        _store,
        "Where everything is kept: sqlite:PATH. If empty, it is the file noughts.db in the data directory.",
    )
    public_url: str = _setting(
        "", _base, "What links begin with, such as https://games.example.org; empty: as the request came."
    )
    origins: tuple[str, ...] = _setting(
        (), _origins, "Further origins whose pages may connect, separated by commas, such as https://club.example.org."
    )
    trusted: tuple[Network, ...] = _setting(
        (), _networks, "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed (addresses or networks)."
    )
    open_metrics: bool = _setting(
        False, _switch, "Show /metrics and health details to everybody, not only to loopback."
    )
    workers: int = _setting(0, _whole(0, 64), "Processes that search; 0: one for each core, at most four.")
    think_ms: int = _setting(1_000, _whole(50, 60_000), "The longest that the engine thinks about a move.")
    grace_ms: int = _setting(
        30_000,
        _whole(0, DAY_MS),
        "How long a player may be away before the opponent has a choice; on a clock at most a third, or 5 s if longer.",
    )
    engine_pace_ms: int = _setting(500, _whole(0, 60_000), "The pause between a person's move and the engine's.")
    engines_pace_ms: int = _setting(1_000, _whole(0, 60_000), "The pause between moves where two engines play.")
    waiting_hours: int = _setting(24, _whole(1, 8_760), "A room that waits for a friend is gone after so long.")
    finished_hours: int = _setting(24, _whole(1, 8_760), "A room whose game is over is gone after so long unused.")
    playing_hours: int = _setting(168, _whole(1, 8_760), "A room in mid-game is gone after so long unused.")
    guest_days: int = _setting(90, _whole(1, 3_650), "A guest not seen for so long is forgotten.")
    chat: bool = _setting(True, _switch, "Chat and reactions.")
    lobby: bool = _setting(True, _switch, "The public list of rooms, and quick play.")
    free_names: bool = _setting(True, _switch, "People may choose their names; off: made-up names only.")
    limits: bool = _setting(True, _switch, "Limits of rate and number; off is for load tests on loopback only.")
    log_format: str = _setting("text", _one_of("text", "json"), "How log lines look: text or json.")
    log_level: str = _setting("info", _one_of("debug", "info", "warning", "error"), "The least that is logged.")

    def policy(self, levels: Mapping[str, tuple[str, ...]]) -> Policy:
        """Return the rules for every room of this server. ``levels`` names the engine's levels by variant."""
        return Policy(
            levels=levels,
            grace_ms=self.grace_ms,
            engine_pace_ms=self.engine_pace_ms,
            engines_pace_ms=self.engines_pace_ms,
            waiting_ms=self.waiting_hours * HOUR_MS,
            finished_ms=self.finished_hours * HOUR_MS,
            playing_ms=self.playing_hours * HOUR_MS,
            chat=self.chat,
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table."""

    name: str
    flag: str
    variable: str
    default: str
    help: str
    parse: Callable[[str], Any]


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return str(value)


SETTINGS: Final = tuple(
    Setting(
        name=entry.name,
        flag=f"--{entry.name.replace('_', '-')}",
        variable=f"{PREFIX}{entry.name.upper()}",
        default=_shown(entry.default),
        help=entry.metadata["help"],
        parse=entry.metadata["parse"],
    )
    for entry in fields(Config)
)


def load(flags: Mapping[str, str], environment: Mapping[str, str]) -> tuple[Config, tuple[str, ...]]:
    """The settings from flags (by name) and variables, and the warnings to log. Raises :class:`SettingError`."""
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        text, source = flags.get(setting.name), setting.flag
        if text is None:
            text, source = environment.get(setting.variable), setting.variable
        if text is None or (text == "" and source == setting.variable):
            continue
        try:
            values[setting.name] = setting.parse(text)
        except SettingError as wrong:
            raise SettingError(f"{source} {wrong}.") from None
    known = {setting.variable for setting in SETTINGS}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in known)
    return Config(**values), tuple(f"There is no setting {name}: it has no effect." for name in unknown)


def markdown() -> str:
    """The page of all settings for the docs."""
    rows = [
        "# Settings",
        "",
        "Nothing needs to be set. A flag of `noughts serve` goes before its variable. An unknown `NOUGHTS_` variable is",
        "warned about and has no effect.",
        "",
        "| flag | variable | default | |",
        "|---|---|---|---|",
    ]
    rows += [
        f"| `{s.flag}` | `{s.variable}` | {f'`{s.default}`' if s.default else 'empty'} | {s.help} |" for s in SETTINGS
    ]
    return "\n".join(rows) + "\n"
