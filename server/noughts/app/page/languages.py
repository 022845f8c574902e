"""The page's languages and their texts, so that the HTML speaks them too."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final, NamedTuple

DEFAULT: Final = "en"


class Language(NamedTuple):
    """A language of the page. ``texts`` are complete: in English where its catalogue has no text."""

    key: str
    texts: Mapping[str, str]

    @property
    def direction(self) -> str:
        """Return ``ltr`` or ``rtl``."""
        return self.text("language.direction")

    def text(self, key: str) -> str:
        """Return a text. Raise KeyError."""
        return self.texts[key]


def languages(folder: Path, site: str) -> dict[str, Language]:
    """Return the languages by key, from a folder with a catalogue for each. Raise FileNotFoundError without English.

    ``site`` is the name of the server, which fills in ``{site}`` everywhere.
    """
    english = _catalogue(folder / f"{DEFAULT}.json", site)
    keys = [path.stem for path in sorted(folder.glob("*.json"))]
    return {key: Language(key, {**english, **_catalogue(folder / f"{key}.json", site)}) for key in keys}


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

    ``i18n.js`` does the same.
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


def _catalogue(path: Path, site: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads(path.read_text("utf-8"))
    return {key: text.replace("{site}", site) for key, text in texts.items()}
