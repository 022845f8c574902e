"""The characters that no name, no chat line and no line of a terminal program holds, and the normal form of a typed code."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LINE_BREAK: Final = re.compile("\r\n|[\n\v\f\r\x85\u2028\u2029]")
FORBIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control codes: they set a terminal's title, clear its screen, end a line
    "\u2028\u2029"  # separators of lines and paragraphs
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # Unicode's Bidi_Control: they reverse the text beside them
    "\ud800-\udfff"  # surrogates: half of a pair cannot be encoded
    "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]"  # private use: they mean something else to each font
)
_MINUS: Final = "\u2212"
_LABEL: Final = re.compile("pin:?", re.IGNORECASE)
_REPLACEMENT: Final = "\ufffd"


def one_line(text: str) -> str:
    """Return a text with its line breaks as spaces."""
    return LINE_BREAK.sub(" ", text)


def printable(text: str) -> str:
    """Return a text as one line that is safe to print: each forbidden character is replaced by U+FFFD."""
    return FORBIDDEN.sub(_REPLACEMENT, one_line(text))


def printable_lines(text: str) -> str:
    """Return a text of several lines, each of them safe to print."""
    return "\n".join(printable(line) for line in text.split("\n"))


def normalized(text: str) -> str:
    """Return what a person typed as a PIN or a code, ready to be compared.

    The result is in NFKC. It has ASCII digits, and no spaces, dashes, format characters or opening ``PIN:``. The page does
    the same in ``texts/normalized.js``.
    """
    kept = "".join(
        str(unicodedata.decimal(letter, letter))
        for letter in unicodedata.normalize("NFKC", text)
        if unicodedata.category(letter) not in ("Zs", "Zl", "Zp", "Pd", "Cf")
        and not letter.isspace()
        and letter != _MINUS
    )
    label = _LABEL.match(kept)
    return kept[label.end() :] if label else kept
