"""Who sends the notices, as push services ask for it (RFC 8292, ``sub``). Some refuse a contact that nobody could reach."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from noughts.app.runtime.config import Config
from noughts.app.runtime.push_hosts import is_public

NO_CONTACT: Final = (
    "notices are off: push services ask for a contact. Set NOUGHTS_PUBLIC_URL to an https URL on a public name, or"
    " NOUGHTS_CONTACT to a mailto: address on one."
)
_NOT_PUBLIC: Final = frozenset(
    ["arpa", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localhost", "onion", "private", "test"]
)
"""Last labels of names that lead nowhere outside one network."""


def push_contact(config: Config) -> str | None:
    """Return the contact of the operator for push services; None without a usable one, and where notices are off."""
    if not config.push:
        return None
    url = urlsplit(config.public_url)
    if url.scheme == "https" and _is_public_name(url.hostname or ""):
        return config.public_url
    address = config.contact.removeprefix("mailto:")
    if address != config.contact and _is_public_name(address.rpartition("@")[2]):
        return config.contact
    return None


def _is_public_name(host: str) -> bool:
    """Return whether a host is a name, not an address, that may be known everywhere."""
    labels = host.lower().rstrip(".").split(".")
    is_name = is_public(host, name=True) and not labels[-1].isdigit() and ":" not in host
    return is_name and len(labels) > 1 and labels[-1] not in _NOT_PUBLIC
