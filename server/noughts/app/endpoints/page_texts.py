"""The page's languages and their texts, read from the catalogues of its JavaScript, so that the HTML speaks them too."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

DEFAULT: Final = "en"
_LANGUAGE: Final = re.compile(r'\{ key: "([\w-]+)", name: "[^"]*", direction: "(ltr|rtl)"')
"""A line of the table in ``languages.js``."""
_ENTRY: Final = re.compile(r'^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$', re.M)
"""A line of a catalogue. Key and text are also JSON."""
_ISOLATED: Final = "\u2068{}\u2069"
"""A value within a text from right to left keeps its own direction. ``i18n.js`` does the same."""


class Language(NamedTuple):
    """A language of the page. ``texts`` are complete: in English where its catalogue has no text."""

    key: str
    direction: str
    texts: Mapping[str, str]

    def text(self, key: str, **values: str) -> str:
        """Return a text with its placeholders filled in. Raise KeyError."""
        text = self.texts[key]
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", _ISOLATED.format(value) if self.direction == "rtl" else value)
        return text


def languages(scripts: Mapping[str, str]) -> dict[str, Language]:
    """Return the languages by key, from the page's modules by name. Return English alone without a table."""
    table = dict(_LANGUAGE.findall(scripts.get("languages.js", ""))) or {DEFAULT: "ltr"}
    english = _catalogue(scripts, DEFAULT)
    return {key: Language(key, direction, {**english, **_catalogue(scripts, key)}) for key, direction in table.items()}


def wanted_language(header: str, keys: Collection[str]) -> str:
    """Return the key of the language with the greatest weight in an Accept-Language header (RFC 9110, 12.5.4).

    Languages that the page does not have are left out. Return English if none is left.
    """
    weights: dict[str, float] = {}
    for entry in header.split(","):
        tag, _, parameter = entry.partition(";")
        key = _language_for(tag.strip(), keys)
        if key is not None:
            weights[key] = max(weights.get(key, 0.0), _weight(parameter))
    best = max(weights, key=weights.__getitem__, default=DEFAULT)
    return best if weights.get(best) else DEFAULT


def _language_for(tag: str, keys: Collection[str]) -> str | None:
    """Return the key for a tag such as ``pt-BR``: the most exact one, else one of the same language, else None.

    ``languages.js`` does the same.
    """
    subtags = tag.lower().split("-")
    exact = [key for key in keys if subtags[: key.count("-") + 1] == key.lower().split("-")]
    related = [key for key in keys if key.lower().split("-")[0] == subtags[0]]
    return max(exact, key=len, default=related[0] if related else None)


def _weight(parameter: str) -> float:
    """Return a weight such as ``q=0.8``; 1 without one, 0 for nonsense."""
    name, _, value = parameter.strip().partition("=")
    if not name:
        return 1.0
    return float(value) if name.strip() == "q" and re.fullmatch(r"[01](?:\.\d{0,3})?", value.strip()) else 0.0


def _catalogue(scripts: Mapping[str, str], key: str) -> dict[str, str]:
    return {json.loads(name): json.loads(text) for name, text in _ENTRY.findall(scripts.get(f"{key}.js", ""))}
