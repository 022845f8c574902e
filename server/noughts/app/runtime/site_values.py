"""What an operator writes on the pages of a server: the parsers of these settings. They raise :class:`SettingError`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from noughts.app.runtime.setting_values import SettingError, url_with_query
from noughts.printable import FORBIDDEN, LINE_BREAK

MAX_NAME: Final = 40
MAX_WELCOME: Final = 1_024
MIN_CONTRAST: Final = 3.0
"""The contrast that WCAG 2.2 (1.4.11) asks of a button against what is around it."""
GROUNDS: Final = {"light": ("#f7f5f0", "#fffefb"), "dark": ("#11141b", "#1a1e28")}
"""The page's grounds in both sets of colours."""


def site_name(text: str) -> str:
    """Return the name of a server, trimmed."""
    name = text.strip()
    if not 1 <= len(name) <= MAX_NAME or FORBIDDEN.search(name) or set(name) & set("{}"):
        raise SettingError(f"must be a name of 1 to {MAX_NAME} characters without braces and control characters")
    return name


def welcome_text(path: str) -> str:
    """Return the text of a file; empty without a path."""
    if not path:
        return ""
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_WELCOME + 1)
        text = content.decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"must be a readable file of UTF-8 text, and {path!r} is not: {error}") from None
    if len(content) > MAX_WELCOME:
        raise SettingError(f"must be a file of at most {MAX_WELCOME} bytes, and {path!r} has more")
    if FORBIDDEN.search(LINE_BREAK.sub(" ", text).replace("\t", " ")):
        raise SettingError(f"must be a file without control characters, and {path!r} has some")
    return text


def contact_url(text: str) -> str:
    """Return an HTTP URL, or an address of electronic mail after ``mailto:``, unchanged; it may be empty."""
    address = text.removeprefix("mailto:")
    if address == text:
        try:
            return url_with_query(text)
        except SettingError:
            raise SettingError(f"must begin with http://, https:// or mailto:, not {text!r}") from None
    name, at, host = address.partition("@")
    if not (name and at and host) or not text.isprintable() or set(text) & set(' #\\<>"@,') - {"@"} or "@" in host:
        raise SettingError(f"must be a mail address such as mailto:games@example.org, not {text!r}")
    return text


def accent(text: str) -> str:
    """Return a colour as ``#rrggbb`` that buttons can have on a light and on a dark page; it may be empty."""
    if not text:
        return ""
    colour = text.lower()
    if len(colour) != 7 or colour[0] != "#" or set(colour[1:]) - set("0123456789abcdef"):
        raise SettingError(f"must be a colour such as #1b7f6b, not {text!r}")
    for theme, grounds in GROUNDS.items():
        weakest = min(contrast(colour, ground) for ground in grounds)
        if weakest < MIN_CONTRAST:
            advice = "darker" if theme == "light" else "lighter"
            raise SettingError(
                f"must have a contrast of at least {MIN_CONTRAST:g} to the {theme} page, and {text} has {weakest:.1f}:"
                f" choose a {advice} colour"
            )
    return colour


def text_on(colour: str) -> str:
    """Return white or black, whichever is easier to read on a colour. The contrast is at least 4.5."""
    return max("#ffffff", "#000000", key=lambda text: contrast(text, colour))


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours in WCAG 2, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
