"""The page's catalogues translate every name and code that the server sends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from noughts.engine.levels import LEVELS
from noughts.errors import CODES
from noughts.rules.variant import VARIANTS

PAGE = Path(__file__).parents[2] / "client_web" / "js"
LANGUAGES = re.findall(r'\{ key: "(\w+)"', (PAGE / "languages.js").read_text())


def keys(language: str) -> set[str]:
    """Return the keys of a catalogue."""
    return set(re.findall(r'^  "([^"]+)":', (PAGE / f"{language}.js").read_text(), re.MULTILINE))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_a_catalogue_has_the_words_of_the_server(language: str) -> None:
    """English needs none, because the server's own words are English."""
    wanted = {f"rejection.{code}" for code in CODES}
    wanted |= {f"{kind}.{variant}" for kind in ("variant", "rules") for variant in VARIANTS}
    assert {key for key in keys(language) if key.startswith(("variant.", "rules.", "rejection."))} == wanted


def test_english_names_every_level() -> None:
    """A level without a text is shown in the server's words."""
    named = {key.removeprefix("level.") for key in keys("en") if key.startswith("level.")}
    assert set(LEVELS) <= named
