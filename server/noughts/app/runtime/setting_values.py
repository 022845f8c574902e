"""The values of settings as they are typed: one function for each kind of value. It raises :class:`SettingError`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from noughts.app.runtime.addresses import Network

T = TypeVar("T")


class SettingError(Exception):
    """A setting has an invalid value. The message names the setting, and gives the values that are valid."""


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from ``low`` to ``high``."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise SettingError(f"must be a whole number, not {text!r}") from None
        if not low <= number <= high:
            raise SettingError(f"must be from {low} to {high}, not {number}")
        return number

    return parse


def header_name(text: str) -> str:
    """Return the name of a header (a token of RFC 9110, section 5.6.2) unchanged; it may be empty."""
    if text and not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", text, re.ASCII):
        raise SettingError(f"must be the name of a header, such as Remote-User, not {text!r}")
    return text


def switch(text: str) -> bool:
    """Return whether a switch is on."""
    if text.lower() in ("on", "1", "true", "yes"):
        return True
    if text.lower() in ("off", "0", "false", "no"):
        return False
    raise SettingError(f"must be on or off, not {text!r}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def network_list(text: str) -> tuple[Network, ...]:
    """Return addresses and networks, separated by commas."""
    try:
        return tuple(ipaddress.ip_network(name, strict=False) for name in _names(text))
    except ValueError:
        raise SettingError(f"must be addresses or networks, separated by commas, not {text!r}") from None


def _split(text: str) -> SplitResult | None:
    """Return the parts of a URL with scheme and host. Return None if one is missing or a part is invalid."""
    try:
        parts = urlsplit(text)
        valid = (
            re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", parts.hostname or "") and parts.port != 0 and parts.username is None
        )
    except ValueError:
        return None
    return parts if valid and parts.scheme and text.isprintable() and not set(text) & set(' ?#\\<>"') else None


def http_url(text: str) -> str:
    """Return an HTTP URL unchanged; it may be empty."""
    parts = _split(text) if text else None
    if text and (parts is None or parts.scheme not in ("http", "https")):
        raise SettingError(
            f"must be a URL that begins with http:// or https://, such as https://games.example.org, not {text!r}"
        )
    return text


def url_with_query(text: str) -> str:
    """Return an HTTP URL that may have a query unchanged; it may be empty."""
    address, mark, query = text.partition("?")
    http_url(address)
    if (mark and not (address and query.isprintable())) or set(query) & set(' #\\<>"'):
        raise SettingError("must be a URL without a fragment: write spaces and quotes in its query as %20 and %22")
    return text


def url_path(text: str) -> str:
    """Return a path without a slash at its end; empty for the root."""
    path = text.rstrip("/")
    if path and not re.fullmatch(r"(/(?!\.{1,2}(/|$))[\w.~-]+)+", path, re.ASCII):
        raise SettingError(f"must be a path such as /games, of letters, digits and . _ ~ -, not {text!r}")
    return path


def origin_list(text: str) -> tuple[str, ...]:
    """Return origins as browsers write them: in small letters, without the usual port of the scheme."""
    origins = []
    for name in _names(text):
        parts = _split(name)
        if parts is None or parts.path not in ("", "/") or not name.isascii():
            raise SettingError(
                f"must be scheme://host or scheme://host:port, such as https://club.example.org, not {name!r}"
            )
        usual = {"http": ":80", "https": ":443"}.get(parts.scheme)
        host = parts.netloc.lower().removesuffix(":")
        origins.append(f"{parts.scheme}://{host.removesuffix(usual) if usual else host}")
    return tuple(origins)


def one_of(*words: str) -> Callable[[str], str]:
    """Return a parser that accepts only these words."""

    def parse(text: str) -> str:
        if text not in words:
            raise SettingError(f"must be one of {', '.join(words)}, not {text!r}")
        return text

    return parse


def optional(parse: Callable[[str], T]) -> Callable[[str], T | None]:
    """Return a parser that gives None for no text."""
    return lambda text: parse(text) if text else None
