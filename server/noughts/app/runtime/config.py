"""All settings in one table: flag, variable, default and description.

The command line and ``docs/reference/settings.md`` come from it.

The flag of a setting is its name with dashes. Its variable is ``NOUGHTS_`` and its name in capitals. A flag overrides its
variable, and no setting is required.
"""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from noughts.app.runtime.addresses import Network
from noughts.app.runtime.push_hosts import BROWSERS, PushHost, push_host_list
from noughts.app.runtime.setting_values import (
    SettingError,
    header_name,
    http_url,
    network_list,
    one_of,
    optional,
    origin_list,
    switch,
    url_path,
    url_with_query,
    whole_number,
)
from noughts.app.runtime.site_values import accent, contact_url, site_name, welcome_text
from noughts.command_line import UsageError
from noughts.room.policy import Policy
from noughts.store.address import AddressError, RedisAddress, StoreAddress, check_prefix, store_address
from noughts.tournament.transition import Policy as TournamentPolicy

D = TypeVar("D")
T = TypeVar("T")

PREFIX: Final = "NOUGHTS_"


def _setting(default: D, parse: Callable[[str], T], text: str, *, secret: bool = False) -> D | T:
    return field(default=default, metadata={"parse": parse, "help": text, "secret": secret})


MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server."""

    host: str = _setting("127.0.0.1", str, "Address to listen on. 0.0.0.0 listens on all addresses.")
    port: int = _setting(8000, whole_number(0, 65_535), "Port to listen on. 0 picks a free port.")
    data: Path = _setting(Path("data"), Path, "Directory for all data: rooms, games and players.")
    store: StoreAddress | None = _setting(
        None,
        optional(store_address),
        "Store of all data, such as sqlite:data/noughts.db. If empty, noughts.db in the data directory. Many nodes share"
        " redis://HOST, rediss://HOST or unix:///PATH.",
    )
    store_password_file: Path | None = _setting(None, optional(Path), "File with the password of Redis.")
    store_prefix: str = _setting(
        "noughts", check_prefix, "Beginning of all keys in Redis, so that two installations can share a server."
    )
    backup_hours: int = _setting(
        0, whole_number(0, 8_760), "Hours between two backups that the server makes by itself. 0 makes none."
    )
    backup_keep: int = _setting(
        7, whole_number(1, 10_000), "Backups that are kept. The oldest ones beyond this number are deleted."
    )
    backup_directory: Path | None = _setting(
        None, optional(Path), "Directory for backups. If empty, backups in the data directory."
    )
    node_name: str = _setting(
        "", str, "Name of this node in logs and in `noughts nodes`. If empty, the name of the machine and the port."
    )
    drain_s: int = _setting(
        0,
        whole_number(0, 600),
        "Seconds for which a node that is stopped continues to serve, while /readyz already sends new clients elsewhere.",
    )
    public_url: str = _setting(
        "",
        http_url,
        "Beginning of every link, such as https://games.example.org. If empty, a link begins as the page was opened.",
    )
    base_path: str = _setting(
        "", url_path, "Path under which everything is served, such as /games. A proxy must pass it on unchanged."
    )
    site_name: str = _setting(
        "Noughts", site_name, "Name of the server on its pages, in previews and in the installed app."
    )
    welcome: str = _setting(
        "",
        welcome_text,
        "File with a text of at most 1 kB above the lobby. URLs in it become links. If empty, no text.",
    )
    legal_url: str = _setting("", url_with_query, "URL of the legal notice, which every page links to at its foot.")
    contact: str = _setting(
        "",
        contact_url,
        "Where players reach you: a URL or mailto:ADDRESS, which every page links to at its foot. Push services get the mail"
        " address, unless the public URL is https on a public name. Without either there are no notices.",
    )
    accent: str = _setting(
        "", accent, "Colour of buttons, such as #1b7f6b. The start checks its contrast on a light and on a dark page."
    )
    embed_origins: tuple[str, ...] = _setting(
        (),
        origin_list,
        "Origins whose pages may show a game in a frame, separated by commas, such as https://club.example.org.",
    )
    origins: tuple[str, ...] = _setting(
        (),
        origin_list,
        "Other origins whose pages may use the server, separated by commas, such as https://club.example.org.",
    )
    trusted: tuple[Network, ...] = _setting(
        (),
        network_list,
        "Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto headers the server trusts.",
    )
    name_header: str = _setting(
        "",
        header_name,
        "Header with which a trusted proxy names the person who has signed on there, such as Remote-User. The proxy must"
        " delete it from what clients send. If empty, there is no sign-on.",
    )
    guests: str = _setting(
        "on",
        one_of("on", "watch", "off"),
        "What a visitor without the name header may do: on (play as a guest), watch (only watch), off (nothing).",
    )
    open_metrics: bool = _setting(
        False, switch, "Show /metrics and health details to everyone, not only to loopback and trusted addresses."
    )
    admin_page: bool = _setting(
        True, switch, "Offer the admin page, to which `noughts admin` prints a link. If off, there are no links either."
    )
    any_file_system: bool = _setting(
        False,
        switch,
        "Serve from a data directory on a network or FUSE file system. Its locks may hold on one machine only, and two"
        " servers on one file lose moves.",
    )
    workers: int = _setting(
        0,
        whole_number(0, 64),
        "Number of processes that search for moves. As many others analyse games. 0 means one for each core, at most four.",
    )
    think_ms: int = _setting(1_000, whole_number(50, 60_000), "Maximum time that the engine searches for a move.")
    grace_ms: int = _setting(
        30_000,
        whole_number(0, DAY_MS),
        "Time that a player may be away before the opponent can claim the game. On a clock, at most a third of it, but at"
        " least 5 s.",
    )
    engine_pace_ms: int = _setting(500, whole_number(0, 60_000), "Pause between a player's move and the engine's move.")
    engines_pace_ms: int = _setting(1_000, whole_number(0, 60_000), "Pause between moves when two engines play.")
    waiting_hours: int = _setting(
        24, whole_number(1, 8_760), "Hours before a room that is still waiting for a friend is deleted."
    )
    unjoined_minutes: int = _setting(
        30, whole_number(1, 525_600), "Minutes before a room that no client has ever joined is deleted."
    )
    finished_hours: int = _setting(
        24, whole_number(1, 8_760), "Hours before an empty room whose game is over is deleted."
    )
    playing_hours: int = _setting(
        168, whole_number(1, 8_760), "Hours before an empty room in the middle of a game is deleted."
    )
    guest_days: int = _setting(90, whole_number(1, 3_650), "Days before a guest who has not come back is deleted.")
    chat: bool = _setting(True, switch, "Allow chat and reactions.")
    lobby: bool = _setting(True, switch, "Offer a public list of rooms, and quick play.")
    tournaments: bool = _setting(True, switch, "Offer tournaments.")
    hosts: str = _setting(
        "everyone",
        one_of("everyone", "loopback"),
        "Who may make tournaments: everyone, or only programs on the server's own machine (loopback).",
    )
    tournament_days: int = _setting(
        30, whole_number(1, 3_650), "Days for which a tournament that is over is kept, with its games."
    )
    free_names: bool = _setting(True, switch, "Let players choose their names. If off, the server makes names up.")
    limits: bool = _setting(True, switch, "Limit rates and numbers. Switch it off only for load tests on loopback.")
    push: bool = _setting(True, switch, "Offer notices when it is a player's turn in a game of days (Web Push).")
    push_hosts: tuple[PushHost, ...] = _setting(
        push_host_list(BROWSERS),
        push_host_list,
        "Push services that may receive notices, separated by commas: host, *.host or host:port. Only a host with a port may"
        " have a private address.",
    )
    webhook: str = _setting("", url_with_query, "URL that is sent a message about each public game and tournament.")
    webhook_secret: str = _setting("", str, "Secret that signs the messages to the webhook.", secret=True)
    log_format: str = _setting("text", one_of("text", "json"), "Format of log lines: text or json.")
    log_level: str = _setting("info", one_of("debug", "info", "warning", "error"), "Minimum log level.")

    @property
    def shown_name(self) -> str:
        """The name of this node, for logs and for people."""
        return self.node_name or f"{socket.gethostname()}:{self.port}"

    def tournament_policy(self) -> TournamentPolicy:
        """Return the rules for every tournament of this server."""
        return TournamentPolicy(kept_ms=self.tournament_days * DAY_MS)

    def policy(self, levels: Mapping[str, tuple[str, ...]]) -> Policy:
        """Return the rules for every room of this server. ``levels`` names the engine's levels by variant."""
        return Policy(
            levels=levels,
            grace_ms=self.grace_ms,
            engine_pace_ms=self.engine_pace_ms,
            engines_pace_ms=self.engines_pace_ms,
            waiting_ms=self.waiting_hours * HOUR_MS,
            unjoined_ms=self.unjoined_minutes * MINUTE_MS,
            finished_ms=self.finished_hours * HOUR_MS,
            playing_ms=self.playing_hours * HOUR_MS,
            chat=self.chat,
            notices=self.push,
        )


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its names, its default as text, its description, and the parser of its text.

    A secret has no flag, because every list of processes shows flags.
    """

    name: str
    flag: str | None
    variable: str
    default: str
    help: str
    parse: Callable[[str], object]


def _default_text(value: object) -> str:
    """Return the typed form of a default."""
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
        flag=None if entry.metadata["secret"] else f"--{entry.name.replace('_', '-')}",
        variable=f"{PREFIX}{entry.name.upper()}",
        default=_default_text(entry.default),
        help=entry.metadata["help"],
        parse=entry.metadata["parse"],
    )
    for entry in fields(Config)
)


def load(flags: Mapping[str, str], environment: Mapping[str, str]) -> tuple[Config, tuple[str, ...]]:
    """Return the settings from flags (by name) and variables, and the warnings to log. Raise :class:`SettingError`."""
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        text, source = flags.get(setting.name), setting.flag
        if text is None:
            text, source = environment.get(setting.variable), setting.variable
        if text is None or (text == "" and source == setting.variable):
            continue
        try:
            values[setting.name] = setting.parse(text)
        except (SettingError, AddressError) as error:
            raise SettingError(f"{source} {error}.") from None
        if source == "--store" and isinstance(values["store"], RedisAddress) and values["store"].password is not None:
            message = "--store must not have a password, which every list of processes would show"
            raise SettingError(f"{message}: use --store-password-file or NOUGHTS_STORE.")
    variables = {setting.variable for setting in SETTINGS}
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in variables)
    config = Config(**values)
    warnings = [f"There is no setting {name}: the server ignores it." for name in unknown]
    if config.name_header and not config.trusted:
        warnings.append("NOUGHTS_NAME_HEADER has no effect without NOUGHTS_TRUSTED: name the address of the proxy.")
    if config.guests != "on" and not config.name_header:
        warnings.append(f"NOUGHTS_GUESTS={config.guests} without NOUGHTS_NAME_HEADER: nobody can sign on.")
    return config, tuple(warnings)


def environment_file() -> str:
    """Return all variables with their defaults, commented out, as systemd, Docker and shells read them from a file."""
    rows = [f"# {setting.help}\n#{setting.variable}={setting.default}\n" for setting in SETTINGS]
    return "\n".join(["# Settings of Noughts. Remove the # before a variable to set it.\n", *rows])


def markdown() -> str:
    """Return ``docs/reference/settings.md``."""
    lines = [
        "# Settings",
        "",
        "No setting is required. A flag of `noughts serve` overrides its variable. The server warns about an unknown",
        "`NOUGHTS_` variable and ignores it.",
        "",
        "| flag | variable | default | meaning |",
        "|---|---|---|---|",
    ]
    for s in SETTINGS:
        flag, default = f"`{s.flag}`" if s.flag else "none", f"`{s.default}`" if s.default else "empty"
        lines.append(f"| {flag} | `{s.variable}` | {default} | {s.help} |")
    return "\n".join(lines) + "\n"


def add_setting_flags(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the flags of the settings with these names; of all settings if no name is given."""
    for setting in SETTINGS:
        if setting.flag is not None and (setting.name in names or not names):
            default = setting.default or "empty"
            parser.add_argument(
                setting.flag,
                dest=setting.name,
                metavar="VALUE",
                help=f"{setting.help} ({setting.variable}; {default})".replace("%", "%%"),
            )


def given_flags(parsed: argparse.Namespace) -> dict[str, str]:
    """Return the text of each flag that was given, by the name of its setting."""
    texts = vars(parsed)
    return {setting.name: texts[setting.name] for setting in SETTINGS if texts.get(setting.name) is not None}


def settings_of(parsed: argparse.Namespace) -> Config:
    """Return the settings from flags and variables. Raise :class:`UsageError`."""
    try:
        config, _ = load(given_flags(parsed), os.environ)
    except SettingError as error:
        raise UsageError(str(error)) from None
    return config
